"""Named arrays with axes and units, and the rules by which names give them (docs/file-formats.md of isar)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Iterable, Mapping, Optional, Sequence

import numpy as np

UNITS = [
    (r"_dbsm(_|$)", "dBsm"),
    (r"_dbm(_|$)", "dBm"),
    (r"_m2(_|$)", "m^2"),
    (r"_hz(_|$)", "Hz"),
    (r"_deg(_|$)", "deg"),
    (r"_db(_|$)", "dB"),
    (r"_m(_|$)", "m"),
    (r"_s(_|$)", "s"),
    (r"^(f_|image|simulated_|profile_|layers$|clean$|free$|amplitude$)", "m"),
    (r"^e[xyz]?_[vh]$", "V/m"),
]

# Axes of the arrays of each kind of result, by patterns of their names, the first that matches.
AXES: Mapping[str, Sequence[tuple[str, tuple[str, ...]]]] = {
    "image": [(r"^(image|simulated)_", ("range_m", "cross_range_m"))],
    "ground-image": [(r"^(image|simulated)_", ("y_m", "x_m"))],
    "range-profiles": [(r"^profile_", ("pulse", "range")), (r"^range_m_", ("range",)), (r"^(theta|phi)_deg_", ("pulse",))],
    "phase-history": [(r"^f_", ("freq_hz", "aspect")), (r"^(theta|phi)_deg$", ("aspect",))],
    "rcs": [(r"^(f|sigma)_", ("freq_hz", "direction")), (r"^(rx_)?(theta|phi)_deg$", ("direction",))],
    "sweep": [(r"^f_", ("freq_hz", "azimuth_deg")), (r"^elevation_deg$", ("elevation",))],
    "pulses": [(r"^f_", ("freq_hz", "time_s"))],
    "propagate": [
        (r"^position_m$", ("receiver", "xyz")),
        (r"^(receiver|set|distance_m|inside_building)$", ("receiver",)),
        (r"^e_[vh]$", ("freq_hz", "receiver", "xyz")),
        (r"", ("freq_hz", "receiver")),
    ],
    "paths": [(r"", ("path",))],
    "centres": [(r"", ("centre",))],
    "target": [
        (r"^positions_m$", ("vertex", "xyz")),
        (r"^triangles$", ("facet", "corner")),
        (r"^facet_material$", ("facet",)),
        (r"^edges_m$", ("edge", "end", "xyz")),
        (r"^edge_", ("edge",)),
    ],
    "images": [
        (r"^(image|clean|free)$", ("image", "channel", "range_m", "cross_range_m")),
        (r"^layers$", ("image", "layer", "channel", "range_m", "cross_range_m")),
        (r"^(mask|lit)$", ("image", "range_m", "cross_range_m")),
        (r"^centres$", ("image", "centre", "column")),
        (r"^offset_m$", ("image", "direction")),
        (r"", ("image",)),
    ],
}
_AXIS_NAMES = {"freq_hz", "range_m", "cross_range_m", "x_m", "y_m", "time_s", "azimuth_deg"}


@dataclass(frozen=True)
class Array:
    """An array with the names of its axes and its unit; NumPy functions take it as it is."""

    values: np.ndarray
    #: One name for each axis: that of the array with its coordinates (``freq_hz``), or what is counted (``direction``).
    axes: tuple[str, ...]
    #: SI unit, ``deg``, ``dBsm`` ..., or ``1`` for plain numbers and text.
    units: str

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    @property
    def dtype(self) -> np.dtype:
        return self.values.dtype

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype) if copy else np.asarray(self.values, dtype=dtype)

    def __getitem__(self, index: Any) -> Any:
        return self.values[index]

    def __len__(self) -> int:
        return len(self.values)


def units_of(name: str) -> str:
    """Unit of an array by its name; ``1`` where it has none."""
    return next((unit for pattern, unit in UNITS if re.search(pattern, name)), "1")


def kind_of(names: Iterable[str]) -> str:
    """Kind of a file by the names of its arrays."""
    have = set(names)
    starts = {name.split("_")[0] for name in have}
    if {"image", "label", "chip"} <= have:
        return "images"
    if "triangles" in have:
        return "target"
    if "points_m" in have and "path" in have:
        return "paths"
    if "position_m" in have:
        return "propagate"
    if "amplitude" in have and "cross_range_m" in have:
        return "centres"
    if "image" in starts:
        return "ground-image" if "y_m" in have else "image"
    if "profile" in starts and "time_s" not in have:
        return "range-profiles"
    if "f" in starts and "time_s" in have:
        return "pulses"
    if "f" in starts and "azimuth_deg" in have:
        return "sweep"
    if "f" in starts or "sigma" in starts:
        return "rcs"
    return "arrays"


def axes_of(kind: str, name: str) -> Optional[tuple[str, ...]]:
    """Axes of an array by its name; None where none is known."""
    counted = kind == "centres" or (kind == "images" and name == "azimuth_deg")
    if name in _AXIS_NAMES and not counted:
        return (name,)
    return next((axes for pattern, axes in AXES.get(kind, ()) if re.search(pattern, name)), None)


def named(kind: str, arrays: Mapping[str, np.ndarray], units: Mapping[str, str]) -> dict[str, Array]:
    """Arrays with axes and units. :param units: those that the file says itself"""
    result = {}
    for name, values in arrays.items():
        axes = axes_of(kind, name)
        if axes is None or len(axes) != values.ndim:
            axes = tuple(f"axis_{i}" for i in range(values.ndim))
        result[name] = Array(values, axes, units.get(name) or units_of(name))
    return result
