"""Reading of results."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Union

import numpy as np

from ._arrays import Array, kind_of, named
from ._dataset import Dataset
from ._files import read_arrays

PathLike = Union[str, "os.PathLike[str]"]


class Result(Mapping[str, Array]):
    """Named arrays of a result: ``result["f_vv"]`` is an ``Array``."""

    def __init__(self, path: Path, kind: str, arrays: Mapping[str, Array], **records: Any) -> None:
        #: Where it was read from.
        self.path = path
        #: ``render`` (also of isar image), ``image``, ``ground-image``, ``range-profiles``, ``phase-history``, ``rcs``, ``sweep``, ``propagate``, ``paths``, ``centres``, ``pulses``, ``target``, ``images``.
        self.kind = kind
        self._arrays = dict(arrays)
        #: What ``meta.json`` beside it holds: version, device, options as resolved, mesh; empty where there is none.
        self.meta: dict[str, Any] = records.get("meta", {})
        #: ``timing.json`` [s]; empty where there is none.
        self.timing: dict[str, Any] = records.get("timing", {})
        #: What the file says of itself (HDF5, MATLAB): ``time_factor``, ``phase_centre_m`` ...
        self.attributes: dict[str, Any] = records.get("attributes", {})
        #: Scattering centres by channel, where ``isar centres`` has written them to the folder.
        self.centres: dict[str, Result] = records.get("centres", {})

    def __getitem__(self, name: str) -> Array:
        try:
            return self._arrays[name]
        except KeyError:
            raise KeyError(f"{self.path} has no {name!r}; it has {', '.join(self._arrays)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def coordinates(self, name: str) -> dict[str, np.ndarray]:
        """Coordinates along the axes of an array, by axis, where an array of that name has them; SI units and degrees."""
        return {axis: self[axis].values for axis in self[name].axes if axis in self._arrays}

    def __repr__(self) -> str:
        lines = [f"{name}: {a.dtype} {dict(zip(a.axes, a.shape))} [{a.units}]" for name, a in self._arrays.items()]
        return "\n  ".join([f"<isar {self.kind} {self.path}>", *lines])


def load(path: PathLike) -> Union[Result, Dataset]:
    """Reads a result of any command.

    :param path: a folder (of render, image, rcs, propagate, centres, doppler or dataset), or a file .npz, .csv, .h5 (needs h5py) or .mat (needs SciPy)
    :returns: a ``Result``, or for the folder of a dataset a ``Dataset``
    :raises FileNotFoundError: where there is none
    :raises ValueError: for a file of another kind
    """
    place = Path(path)
    if not place.exists():
        raise FileNotFoundError(f"{place}: no such file or folder; give a result of isar")
    return _folder(place) if place.is_dir() else _file(place, _companion(place))


def _folder(place: Path) -> Union[Result, Dataset]:
    if (place / "dataset.json").exists():
        return Dataset(place)
    records = {name: _json(place / f"{name}.json") for name in ("meta", "timing")}
    found = {file.stem[len("centres-") :]: _file(file, {}) for file in sorted(place.glob("centres-*.csv"))}
    records["centres"] = found
    if (place / "image.npz").exists():
        files = [_file(place / f"{name}.npz", {}) for name in ("phase-history", "image") if (place / f"{name}.npz").exists()]
        arrays = {name: array for file in files for name, array in file.items()}
        if records["meta"].get("history", {}).get("calibrated") is False:
            # Levels of measured data without a reference are relative.
            arrays = {name: Array(a.values, a.axes, "1") if np.iscomplexobj(a.values) else a for name, a in arrays.items()}
        return Result(place, "render", arrays, **records)
    for name in ("rcs.csv", "results.npz", "pulses.npz"):
        if (place / name).exists():
            return _file(place / name, records)
    if found:
        return Result(place, "centres", {}, **records)
    raise ValueError(f"{place} holds no result of isar: no image.npz, rcs.csv, results.npz, pulses.npz, centres-CH.csv or dataset.json")


def _file(path: Path, records: Mapping[str, Any]) -> Result:
    arrays, attributes, units = read_arrays(path)
    kind = kind_of(arrays)
    if path.stem == "phase-history":
        kind = "phase-history"
    return Result(path, kind, named(kind, arrays, units), attributes=attributes, **records)


# Files of folders with a meta.json of their own.
_IN_FOLDERS = {"image", "phase-history", "target", "rcs", "results", "paths", "pulses", "products"}


def _companion(path: Path) -> dict[str, Any]:
    """Records beside a file: X.csv.meta.json or X.meta.json of a table X.csv, or meta.json of its folder."""
    for start in (f"{path.name}.", f"{path.stem}.", *([""] if path.stem in _IN_FOLDERS else [])):
        if (path.parent / f"{start}meta.json").exists():
            return {name: _json(path.parent / f"{start}{name}.json") for name in ("meta", "timing")}
    return {}


def _json(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text("utf-8")) if path.exists() else {}
