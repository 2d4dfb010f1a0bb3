"""Tests of the package on results of the command line (ISAR_COMMAND, or npx isar), made here: some 20 s.

    python3 -m unittest discover -s python/tests -t python
"""

from __future__ import annotations

import importlib.util
import json
import pickle
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import numpy as np

import isar

CUBE = Path(__file__).parents[2] / "samples" / "cube.stl"
DIHEDRAL = CUBE.with_name("dihedral.stl")
LAMBDA = 299_792_458 / 2e9
FORMATS = {"npz": None, "hdf5": "h5py", "mat": "scipy", "webdataset": None}


def has(module: str | None) -> bool:
    return module is None or importlib.util.find_spec(module) is not None


class OfResults(unittest.TestCase):
    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.folder = Path(place.name)


class Tables(OfResults):
    def rcs(self, name: str) -> isar.Result:
        args = ["rcs", CUBE, "--freq", "2e9,1e9", "--theta", "90", "--phi", "0:20:10", "--device", "cpu", "--workers", "1", "--diffraction", "none"]
        return isar.run([*args, "--pol", "vv,vh", "--out", self.folder / name])

    def test_every_format_gives_the_same_arrays_axes_and_units(self) -> None:
        csv = self.rcs("a.csv")
        self.assertEqual((csv.kind, csv["f_vv"].axes, csv["f_vv"].units), ("rcs", ("freq_hz", "direction"), "m"))
        self.assertEqual((csv["phi_deg"].axes, csv["phi_deg"].units), (("direction",), "deg"))
        self.assertEqual(csv["phi_deg"].values.tolist(), [0, 10, 20])
        self.assertEqual(csv["freq_hz"].values.tolist(), [2e9, 1e9])
        self.assertNotIn("f_hh", csv)
        self.assertIn("a.csv has no 'f_hh'; it has freq_hz", str(self.missing(csv)))
        # A face of 1 m^2 at normal incidence: 4 pi A^2 / lambda^2.
        sigma = 10 * np.log10(4 * np.pi / LAMBDA**2)
        self.assertAlmostEqual(csv["sigma_vv_dbsm"][0, 0], sigma, places=2)
        self.assertAlmostEqual(20 * np.log10(abs(csv["f_vv"][0, 0])) + 10 * np.log10(4 * np.pi), sigma, places=2)
        for name, module in (("b.npz", None), ("c.h5", "h5py"), ("d.mat", "scipy")):
            with self.subTest(name):
                if not has(module):
                    self.skipTest(f"{module} is not installed")
                other = self.rcs(name)
                self.assertEqual(other.kind, "rcs")
                for array in ("freq_hz", "theta_deg", "phi_deg", "f_vv", "f_vh"):
                    self.assertEqual((other[array].axes, other[array].units), (csv[array].axes, csv[array].units))
                    np.testing.assert_allclose(other[array], csv[array], rtol=1e-7, atol=1e-12)
                self.assertEqual(other.meta["options"]["freqHz"], [2e9, 1e9])
                if module:
                    self.assertEqual(other.attributes["time_factor"], "exp(+j w t)")
                    self.assertEqual(np.asarray(other.attributes["phase_centre_m"]).tolist(), [0, 0, 0])
        self.assertGreater(csv.timing["total"], 0)

    def missing(self, result: isar.Result) -> KeyError:
        with self.assertRaises(KeyError) as caught:
            result["f_hh"]
        return caught.exception

    def test_one_frequency_or_direction_keeps_its_axis(self) -> None:
        for ending, module in (("csv", None), ("npz", None), ("h5", "h5py"), ("mat", "scipy")):
            if has(module):
                out = self.folder / f"one.{ending}"
                one = isar.run(["rcs", CUBE, "--freq", "1e9", "--device", "cpu", "--workers", "1", "--diffraction", "none", "--pol", "vv", "--out", out])
                self.assertEqual((one["f_vv"].shape, one["freq_hz"].shape, one["phi_deg"].shape), ((1, 1), (1,), (1,)), ending)

    def test_what_is_wrong_is_said_in_one_line(self) -> None:
        for args, code, line in (
            (["rcs", "none.stl", "--freq", "1e9"], 2, "none.stl: no such file"),
            (["rcs", CUBE, "--freq", "3"], 2, "--freq"),
            (["rendr", CUBE], 2, "rendr"),
        ):
            with self.assertRaises(isar.IsarError) as caught:
                isar.run(args, cwd=self.folder)
            self.assertEqual(caught.exception.code, code)
            self.assertIn(line, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))
        with unittest.mock.patch.dict("os.environ", ISAR_COMMAND="no-such-isar --quiet"):
            with self.assertRaisesRegex(isar.IsarError, "cannot run no-such-isar: No such file or directory; install isar"):
                isar.run(["devices"])
        with self.assertRaisesRegex(FileNotFoundError, "no such file or folder"):
            isar.load(self.folder / "none")
        with self.assertRaisesRegex(ValueError, "holds no result"):
            isar.load(Path(__file__).parent)
        with self.assertRaisesRegex(ValueError, "give a file that ends with"):
            isar.load(CUBE)


class Images(OfResults):
    def test_a_render_folder_has_images_history_and_centres(self) -> None:
        out = self.folder / "r"
        result = isar.run(["render", CUBE, "--band", "2e9:2.5e9:8", "--angles", "8", "--pol", "vv", "--second-order", "none", "--device", "cpu", "--workers", "1", "--out", out])
        self.assertEqual((result.kind, result.centres), ("render", {}))
        image = result["image_vv"]
        self.assertEqual((image.axes, image.units, image.dtype), (("range_m", "cross_range_m"), "m", np.complex128))
        axes = result.coordinates("image_vv")
        self.assertEqual(image.shape, (len(axes["range_m"]), len(axes["cross_range_m"])))
        self.assertEqual((result["f_vv"].axes, result["f_vv"].shape), (("freq_hz", "aspect"), (8, 8)))
        self.assertEqual(result.meta["mesh"]["name"], "cube")
        self.assertEqual(np.abs(image).max(), np.abs(image.values).max())
        result = isar.run(["centres", out, "--count", "3"])
        centres = result.centres["vv"]
        self.assertEqual((centres["amplitude"].axes, centres["sigma_dbsm"].units), (("centre",), "dBsm"))
        level = 20 * np.log10(np.abs(centres["amplitude"]))
        np.testing.assert_allclose(level, centres["sigma_dbsm"], atol=1e-3)
        again = isar.run(["image", out / "phase-history.npz", "--device", "cpu", "--plane", "ground", "--out", self.folder / "again"])
        self.assertEqual((again["image_vv"].axes, again["image_vv"].units), (("y_m", "x_m"), "m"))
        self.assertEqual(again["image_vv"].shape, (len(again["y_m"]), len(again["x_m"])))
        profiles = isar.load(self.folder / "again" / "range-profiles.npz")
        self.assertEqual((profiles.kind, profiles["profile_vv"].axes), ("range-profiles", ("pulse", "range")))
        self.assertEqual(profiles["profile_vv"].shape, (len(profiles["phi_deg_vv"]), len(profiles["range_m_vv"])))
        target = isar.load(out / "target.npz")
        self.assertEqual((target.kind, target["triangles"].shape, target["positions_m"].axes), ("target", (12, 3), ("vertex", "xyz")))


class Propagation(OfResults):
    def test_table_and_arrays_agree(self) -> None:
        scene = {
            "name": "hall",
            "frequency": ["900 MHz", 1.8e9],
            "geometry": [{"box": {"min": [0, 0, 0], "max": [12, 9, 4], "inward": True}, "material": "pec"}],
            "transmitter": {"position": [2.13, 3.31, 1.57], "polarisation": "v"},
            "receivers": [{"name": "desk", "points": [[10, 8, 1], [9, 7, 1], [3, 3, 2]]}],
            "rays": 2000,
            "maxReflections": 1,
            "paths": ["desk"],
        }
        (self.folder / "hall.json").write_text(json.dumps(scene))
        result = isar.run(["propagate", "hall.json", "--no-plot", "--workers", "1", "--out", "hall"], cwd=self.folder)
        self.assertEqual((result.kind, result["h_vv"].axes, result["h_vv"].shape), ("propagate", ("freq_hz", "receiver"), (2, 3)))
        self.assertEqual((result["e_v"].axes, result["e_v"].units), (("freq_hz", "receiver", "xyz"), "V/m"))
        table = isar.load(self.folder / "hall" / "results.csv")
        np.testing.assert_allclose(table["h_vv"], result["h_vv"], atol=1e-12)
        np.testing.assert_allclose(table["ez_v"], result["e_v"][:, :, 2], rtol=1e-8)
        np.testing.assert_allclose(table["position_m"], result["position_m"])
        paths = isar.load(self.folder / "hall" / "paths.csv")
        first = paths["h_vv"][paths["receiver"].values == 0].sum()
        self.assertAlmostEqual(first, result["h_vv"][0, 0], places=9)


class Sets(OfResults):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        config = {
            "name": "tiny",
            "targets": [{"label": "cube", "mesh": str(CUBE)}, {"label": "corner", "mesh": str(DIHEDRAL), "scale": 0.8}],
            "aspects": {"azimuth": {"from": 0, "to": 270, "step": 90}, "elevation": [10, 20]},
            "radar": {"centreHz": "2 GHz", "resolutionM": 0.3},
            "image": {"size": [16, 15]},
            "channels": ["vv", "hv"],
            "splits": {"by": "elevation", "parts": {"train": 1, "test": 1}, "assign": {"train": [10], "test": [20]}},
            "labels": ["mask", "layers", "centres", "facets"],
            "centres": {"count": 2},
            "trace": "shared",
            "formats": list(FORMATS),
            "shardChips": 3,
            "solver": {"rays-per-wavelength": 3, "max-bounces": 2, "device": "cpu", "workers": 1},
        }
        (cls.folder / "config.json").write_text(json.dumps(config))
        cls.set = isar.run(["dataset", "config.json", "--image-workers", "0", "--out", "set"], cwd=cls.folder)

    def test_every_format_gives_the_same_samples(self) -> None:
        self.assertEqual((self.set.classes, self.set.targets, self.set.channels), (["corner", "cube"], ["cube", "dihedral"], ["vv", "hv"]))
        self.assertEqual((len(self.set), self.set.splits), (16, ["train", "test"]))
        for name, module in FORMATS.items():
            with self.subTest(name):
                if not has(module):
                    self.skipTest(f"{module} is not installed")
                other = isar.Dataset(self.folder / "set", format=name)
                np.testing.assert_allclose(other.range_m, self.set.range_m, atol=1e-12)
                np.testing.assert_allclose(other.cross_range_m, self.set.cross_range_m, atol=1e-12)
                for ours, theirs in zip(self.set, other):
                    self.assertEqual(set(ours), set(theirs))
                    for key in ours:
                        self.assertEqual(ours[key].dtype, theirs[key].dtype, key)
                        np.testing.assert_array_equal(ours[key], theirs[key], key)

    def test_samples_are_those_of_the_shards(self) -> None:
        sample = self.set[-1]
        self.assertEqual((sample["image"].shape, sample["image"].dtype, sample["mask"].shape), ((2, 16, 15), np.complex64, (16, 15)))
        np.testing.assert_allclose(sample["layers"].sum(axis=0), sample["image"], atol=1e-4)
        self.assertEqual(sorted(s["chip"] for s in self.set), list(range(16)))
        for name, elevation in (("train", 10), ("test", 20)):
            part = isar.Dataset(self.folder / "set", name)
            self.assertEqual((len(part), {float(s["elevation_deg"]) for s in part}), (8, {elevation}))
        images, labels = self.set.arrays("image", "label")
        np.testing.assert_array_equal(images[5], self.set[5]["image"])
        self.assertEqual(np.bincount(labels).tolist(), [8, 8])
        for wrong in (16, -17):
            with self.assertRaises(IndexError):
                self.set[wrong]

    def test_shards_are_read_when_needed_and_only_some_are_kept(self) -> None:
        lazy = isar.Dataset(self.folder / "set", "train", kept_shards=2)
        self.assertEqual(len(lazy._kept), 0)
        lazy[7]
        self.assertEqual(list(lazy._kept), [2])
        list(lazy)
        self.assertEqual(list(lazy._kept), [1, 2])
        self.assertEqual(len(pickle.loads(pickle.dumps(lazy))._kept), 0)

    def test_wrong_parts_and_formats_are_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "no split 'val'; it has train, test"):
            isar.Dataset(self.folder / "set", "val")
        with self.assertRaisesRegex(ValueError, "not written as png; it has npz"):
            isar.Dataset(self.folder / "set", format="png")
        with self.assertRaisesRegex(FileNotFoundError, "dataset.json is missing"):
            isar.Dataset(self.folder)

    def test_a_data_loader_of_torch_feeds_training(self) -> None:
        if not has("torch"):
            self.skipTest("torch is not installed")
        import torch
        from torch.utils.data import DataLoader

        def features(sample: isar._dataset.Sample) -> tuple[np.ndarray, int]:
            return np.abs(sample["image"][0]).astype(np.float32).ravel(), int(sample["label"])

        torch.manual_seed(0)
        train = isar.Dataset(self.folder / "set", "train", transform=features)
        model = torch.nn.Linear(16 * 15, 2)
        steps = torch.optim.Adam(model.parameters(), lr=0.05)
        losses = []
        for _ in range(30):
            for images, labels in DataLoader(train, batch_size=4, shuffle=True):
                loss = torch.nn.functional.cross_entropy(model(images), labels)
                steps.zero_grad()
                loss.backward()
                steps.step()
                losses.append(loss.item())
        self.assertLess(np.mean(losses[-4:]), 0.2 * np.mean(losses[:4]))


if __name__ == "__main__":
    unittest.main()
