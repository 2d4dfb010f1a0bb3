"""Sets of labelled images that ``isar dataset`` wrote."""

from __future__ import annotations

import io
import json
import operator
import os
import tarfile
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Callable, Optional, Union

import numpy as np

from ._files import read_arrays

Sample = dict[str, np.ndarray]
ENDINGS = {"npz": "npz", "hdf5": "h5", "mat": "mat", "webdataset": "tar"}
# Arrays of a shard that belong to all its images.
_SHARED = ("range_m", "cross_range_m", "freq_hz", "doppler_over_prf", "column_pulse")
# Of the numbers that the JSON of a WebDataset sample has: those that belong to all images, or are read otherwise.
_NOT_OF_SAMPLE = {
    *("class", "chip", "offset_range_m", "offset_cross_range_m", "center_freq_hz", "bandwidth_hz", "range_resolution_m"),
    *("cross_range_resolution_m", "range_pixel_spacing_m", "cross_range_pixel_spacing_m"),
}
_INTEGERS = {"copy", "realisation", "centre_count", "visible_facets", "facets"}


class Dataset(Sequence[Any]):
    """Images of a set, by number; shards are read when an image of theirs is asked for, and the last few are kept.

    ``dataset[i]`` is a dict of NumPy arrays and numbers: ``image`` complex64 [channel, range, cross-range], |pixel|^2 in m^2, ``label`` (index
    into ``classes``), ``target``, ``chip``, ``azimuth_deg``, ``elevation_deg`` and the labels of the set (docs/file-formats.md of isar). It can
    be given to ``torch.utils.data.DataLoader`` as it is, also with workers.

    :param path: folder that ``isar dataset`` wrote
    :param split: one of ``splits``; all images where None
    :param format: ``npz``, ``hdf5`` (needs h5py), ``mat`` (needs SciPy) or ``webdataset``; the first of these that the set has where None
    :param transform: applied to every sample that is returned
    :param kept_shards: shards kept in memory
    :raises FileNotFoundError: where no finished set is
    :raises ValueError: for a split or format that the set has not, and for sets of whole sweeps (``load`` reads their files)
    """

    def __init__(
        self,
        path: Union[str, "os.PathLike[str]"],
        split: Optional[str] = None,
        *,
        format: Optional[str] = None,
        transform: Optional[Callable[[Sample], Any]] = None,
        kept_shards: int = 4,
    ) -> None:
        self.path = Path(path)
        for name in ("dataset.json", "manifest.json"):
            if not (self.path / name).exists():
                raise FileNotFoundError(f"{self.path / name} is missing; give a folder that isar dataset has finished")
        #: ``dataset.json``: configuration as resolved, names, radar.
        self.meta: dict[str, Any] = json.loads((self.path / "dataset.json").read_text("utf-8"))
        manifest = json.loads((self.path / "manifest.json").read_text("utf-8"))
        if not self.meta["images"]:
            raise ValueError(f"{self.path} holds whole sweeps; read its files with isar.load")
        #: Names of classes; ``label`` is an index into them.
        self.classes: list[str] = self.meta["classes"]
        #: Names of targets; ``target`` is an index into them.
        self.targets: list[str] = [target["target"] for target in self.meta["targets"]]
        #: Channels in the order of the images' first axis.
        self.channels: list[str] = self.meta["config"]["channels"]
        #: Names of the parts; empty where the set has none.
        self.splits: list[str] = [name for name in self.meta["splits"] if name]
        if split is not None and split not in self.splits:
            raise ValueError(f"{self.path} has no split {split!r}; it has {', '.join(self.splits) or 'none'}")
        self.split, self.transform, self.kept_shards = split, transform, kept_shards
        written = self.meta["config"]["formats"]
        formats = [name for name in ENDINGS if name in written]
        if format is None and not formats or format is not None and format not in formats:
            raise ValueError(f"{self.path} is not written as {format or ' or '.join(ENDINGS)}; it has {', '.join(written)}")
        self.format = format or formats[0]
        shards = [s for s in manifest["shards"] if split is None or s["split"] == split]
        self._shards = [self.path / self.format / f"{s['name']}.{ENDINGS[self.format]}" for s in shards]
        self._ends = np.cumsum([s["count"] for s in shards]).tolist()
        self._kept: OrderedDict[int, Sample] = OrderedDict()

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, index: Any) -> Any:
        number = operator.index(index)
        if not -len(self) <= number < len(self):
            raise IndexError(f"image {number} of {len(self)}")
        number %= len(self)
        shard = bisect_right(self._ends, number)
        row = number - (self._ends[shard - 1] if shard else 0)
        sample = {name: values[row] for name, values in self._shard(shard).items() if name not in _SHARED}
        return self.transform(sample) if self.transform else sample

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def shards(self) -> Iterator[Sample]:
        """The arrays of one shard after another, images along the first axis; besides them ``range_m``, ``cross_range_m``, ``freq_hz``."""
        return (self._read(i) for i in range(len(self._shards)))

    def arrays(self, *names: str) -> tuple[np.ndarray, ...]:
        """Whole arrays of these names, images along the first axis: ``images, labels = dataset.arrays("image", "label")``."""
        parts = [tuple(shard[name] for name in names) for shard in self.shards()]
        return tuple(np.concatenate(part) for part in zip(*parts))

    @property
    def range_m(self) -> np.ndarray:
        """Range of each row of an image, away from the radar [m]."""
        return self._axis("range_m")

    @property
    def cross_range_m(self) -> np.ndarray:
        """Cross-range of each column of an image [m]."""
        return self._axis("cross_range_m")

    @property
    def freq_hz(self) -> np.ndarray:
        """Frequencies [Hz]."""
        return np.array(self.meta["radar"]["freqHz"])

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": OrderedDict()}

    def __repr__(self) -> str:
        return f"<isar dataset {self.path}{f' {self.split}' if self.split else ''}: {len(self)} images of {len(self.classes)} classes, {self.format}>"

    def _axis(self, name: str) -> np.ndarray:
        radar = self.meta["radar"]
        axis = 0 if name == "range_m" else 1
        stored = self._shard(0).get(name)
        return stored if stored is not None else (np.arange(radar["size"][axis]) - radar["size"][axis] // 2) * radar["spacingM"][axis]

    def _shard(self, index: int) -> Sample:
        if index not in self._kept:
            self._kept[index] = self._read(index)
            while len(self._kept) > max(1, self.kept_shards):
                self._kept.popitem(last=False)
        self._kept.move_to_end(index)
        return self._kept[index]

    def _read(self, index: int) -> Sample:
        path = self._shards[index]
        if self.format == "webdataset":
            return self._tar(path)
        return read_arrays(path)[0]

    def _tar(self, path: Path) -> Sample:
        """A WebDataset shard, as the arrays of an npz shard."""
        samples: dict[str, dict[str, Any]] = {}
        with tarfile.open(path) as archive:
            for member in archive:
                key, _, ending = member.name.partition(".")
                data = archive.extractfile(member).read()  # type: ignore[union-attr]
                sample = samples.setdefault(key, {})
                if ending == "json":
                    about = json.loads(data)
                    sample["label"], sample["chip"] = np.int32(about["class"]), np.int32(about["chip"])
                    sample["target"] = np.int32(self.targets.index(about["target"]))
                    sample["offset_m"] = np.array([about["offset_range_m"], about["offset_cross_range_m"]], dtype=np.float64)
                    for name, value in about.items():
                        if isinstance(value, (int, float)) and name not in _NOT_OF_SAMPLE:
                            sample[name] = (np.int32 if name in _INTEGERS else np.float64)(value)
                elif ending.endswith("npy"):
                    sample[ending[:-4] or "image"] = np.load(io.BytesIO(data))
        rows = list(samples.values())
        return {name: np.stack([row[name] for row in rows]) for name in rows[0]}
