"""Arrays of single files: npz, HDF5, MATLAB 5 and CSV."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from ._arrays import axes_of, kind_of

Contents = tuple[dict[str, np.ndarray], dict[str, Any], dict[str, str]]


def read_arrays(path: Path) -> Contents:
    """Arrays, attributes and units of a file. :raises ValueError: for an ending that isar does not write"""
    readers = {".npz": _npz, ".h5": _hdf5, ".mat": _mat, ".csv": _csv}
    if path.suffix.lower() not in readers:
        raise ValueError(f"{path}: give a file that ends with {', '.join(readers)}")
    return readers[path.suffix.lower()](path)


def _npz(path: Path) -> Contents:
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}, {}, {}


def _hdf5(path: Path) -> Contents:
    try:
        import h5py
    except ImportError:
        raise ImportError(f"{path}: reading HDF5 needs h5py (pip install h5py)") from None
    with h5py.File(path, "r") as file:
        arrays = {name: data[()] for name, data in file.items()}
        units = {name: str(data.attrs["units"]) for name, data in file.items() if "units" in data.attrs}
        return arrays, dict(file.attrs), units


def _mat(path: Path) -> Contents:
    try:
        import scipy.io
    except ImportError:
        raise ImportError(f"{path}: reading MATLAB files needs SciPy (pip install scipy)") from None
    variables = scipy.io.loadmat(path, simplify_cells=False)
    about = _struct(variables.pop("attributes", None))
    units = {name: str(unit) for name, unit in _struct(variables.pop("units", None)).items()}
    arrays = {name: values for name, values in variables.items() if not name.startswith("__")}
    kind = kind_of(arrays)
    # MATLAB has no vectors: rows stand for them.
    rows = {name for name, values in arrays.items() if values.ndim == 2 and len(values) == 1 and len(axes_of(kind, name) or ("",)) == 1}
    return {name: values[0] if name in rows else values for name, values in arrays.items()}, about, units


def _struct(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    fields = value[0, 0]
    return {name: _plain(fields[name]) for name in fields.dtype.names}


def _plain(value: np.ndarray) -> Any:
    if value.dtype.kind == "U":
        return str(value[0]) if value.size else ""
    return value.item() if value.size == 1 else value.ravel()


def _csv(path: Path) -> Contents:
    """Columns of a table; of results in frequency and direction (or receiver) as matrices. Pairs NAME_re, NAME_im become complex NAME."""
    with path.open(newline="", encoding="utf-8") as file:
        names, *rows = list(csv.reader(file))
    if any(len(row) != len(names) for row in rows):
        raise ValueError(f"{path}: a row has not the {len(names)} columns of the first line; the table is damaged")
    text = dict(zip(names, zip(*rows))) if rows else {name: () for name in names}
    columns = {name: _numbers(cells) for name, cells in text.items() if not rows or any(cells)}
    for name in [name[:-2] for name in columns if name.endswith("re") and name[:-2] + "im" in columns]:
        columns[name[:-1] or "amplitude"] = columns.pop(f"{name}re") + 1j * columns.pop(f"{name}im")
    return (_matrices(columns) if "freq_hz" in columns else columns), {}, {}


def _numbers(cells: tuple[str, ...]) -> np.ndarray:
    try:
        return np.array([float(x) if x else np.nan for x in cells])
    except ValueError:
        return np.array(cells)


def _matrices(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Rows with the frequency outermost as [frequency, direction or receiver]; axes once."""
    freq = columns["freq_hz"]
    steps = np.flatnonzero(np.diff(freq))
    width = int(steps[0]) + 1 if len(steps) else len(freq)
    once = {"theta_deg", "phi_deg", "rx_theta_deg", "rx_phi_deg", "receiver", "set", "x_m", "y_m", "z_m", "distance_m", "inside_building"}
    shaped = {name: column.reshape(-1, width) for name, column in columns.items()}
    arrays = {name: matrix[0] if name in once else matrix for name, matrix in shaped.items()}
    arrays["freq_hz"] = shaped["freq_hz"][:, 0]
    if "x_m" in arrays:
        arrays["position_m"] = np.stack([arrays.pop("x_m"), arrays.pop("y_m"), arrays.pop("z_m")], axis=-1)
    return arrays
