#!/usr/bin/env python3
"""What a network learns from chips in free space, in clutter, with shadow, with waves by the ground, with the spread of copies, and randomised.

    node dist/samples/generate.js --vehicles vehicles
    isar dataset samples/atr/vehicles.json
    isar dataset samples/atr/vehicles-test.json
    python3 samples/atr/train.py vehicles-dataset vehicles-test-dataset > table.md

A small convolutional network (PyTorch) learns from each variant of the first set, made of its labels, with five seeds; the
test images are those of the second set as they are. Every variant has the same poses, and as many images and steps
of training, but for the images of the last. Further rows tell whether images or classifier fail: domain randomisation, the
nearest neighbour in place of the network, both from the test set's other azimuths, which is what its images hold at best, and
both where neither set has clutter. Prints a table of accuracies in Markdown.
"""

import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from isar import Dataset  # noqa: E402

SEEDS = 5
# Steps of the training, each of a batch of images.
STEPS = 600
BATCH = 32
# Levels of the input [dBsm]: clutter lies near the lower end.
LEVELS = (-35, 15)
# Largest random shift of a training image [pixels].
SHIFT = 4
# One azimuth of so many is held out of the training.
HOLD = 7
# Domain randomisation: standard deviation of the target's level [dB], ends of the ground's [dB], largest change of scale in range
# (depression: layover and shadow).
TARGET_DB, GROUND_DB, SCALE = 2, (-20, 3), 0.15


def load(folder):
    """Arrays of all images, first channel, and names of the classes."""
    try:
        dataset = Dataset(folder)
    except (FileNotFoundError, ValueError) as error:
        sys.exit(str(error))
    names = [k for k in ("image", "label", "target", "copy", "clean", "free", "lit") if k in dataset[0]]
    data = dict(zip(names, dataset.arrays(*names)))
    for k in ("image", "clean", "free"):
        if k in data:
            data[k] = data[k][:, 0]
    return data, dataset.classes, bool(dataset.meta["config"].get("ground", {}).get("waves"))


def levels(image):
    """Levels of pixels in dBsm, 0 to 1 over LEVELS."""
    dbsm = 20 * np.log10(np.maximum(np.abs(image), 1e-9))
    return np.clip((dbsm - LEVELS[0]) / (LEVELS[1] - LEVELS[0]), 0, 1).astype(np.float32)


def without_shadow(target, ground, lit, rng):
    """The target with clutter everywhere: shadow filled with the clutter of other images, moved at random."""
    image, dark = target + ground, 1 - lit
    for _ in range(8):
        other, by = rng.permutation(len(target)), tuple(rng.integers(0, target.shape[1], 2))
        image = image + np.sqrt(dark) * np.roll(ground[other], by, (1, 2))
        dark = dark * (1 - np.roll(lit[other], by, (1, 2)))
    return image


def network(classes, size):
    def block(a, b, stride):
        return [nn.Conv2d(a, b, 3, stride, 1), nn.BatchNorm2d(b), nn.ReLU(), nn.MaxPool2d(2)]

    side = (size + 1) // 2 // 2 // 2 // 2
    layers = block(1, 8, 2) + block(8, 16, 1) + block(16, 32, 1)
    return nn.Sequential(*layers, nn.Flatten(), nn.Dropout(0.5), nn.Linear(32 * side * side, classes))


def randomised(target, ground, rng):
    """Images of targets on ground with levels and range scale at random."""
    n, rows = target.shape[:2]
    gain = lambda db: 10 ** (db.reshape(n, 1, 1) / 20)
    image = levels(target * gain(rng.normal(0, TARGET_DB, n)) + ground * gain(rng.uniform(*GROUND_DB, n)))
    scale, middle = 1 + rng.uniform(-SCALE, SCALE, (n, 1)), rows // 2
    row = np.clip(np.round(middle + (np.arange(rows) - middle) / scale), 0, rows - 1).astype(int)
    return image[np.arange(n)[:, None], row]


def nearest(image, label, test):
    """Labels of the nearest training images, by correlation at the best of some shifts."""
    norm = lambda x: (x - x.mean((1, 2), keepdims=True)) / (x.std((1, 2), keepdims=True) + 1e-9)
    known = norm(image).reshape(len(image), -1)
    shifts = [(r, c) for r in range(-SHIFT, SHIFT + 1, 2) for c in range(-SHIFT, SHIFT + 1, 2)]
    best = np.max([norm(np.roll(test, s, (1, 2))).reshape(len(test), -1) @ known.T for s in shifts], axis=0)
    return label[best.argmax(1)]


def train(image, label, classes, seed, draw=None):
    """A network learnt from images, or from `draw(numbers, rng)` of them."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = network(classes, image.shape[1])
    adam = torch.optim.Adam(net.parameters(), 1e-3, weight_decay=1e-4)
    for _ in range(STEPS):
        part = rng.choice(len(image), min(BATCH, len(image)), replace=False)
        batch = draw(part, rng) if draw else image[part]
        moved = np.stack([np.roll(x, rng.integers(-SHIFT, SHIFT + 1, 2), (0, 1)) for x in batch])
        loss = nn.functional.cross_entropy(net(torch.from_numpy(moved)[:, None]), torch.from_numpy(label[part]).long())
        adam.zero_grad()
        loss.backward()
        adam.step()
    return net.eval()


def accuracy(net, image, label):
    with torch.no_grad():
        return 100 * float((net(torch.from_numpy(image)[:, None]).argmax(1).numpy() == label).mean())


def main(folder, test_folder):
    data, classes, waves = load(folder)
    test, test_classes, _ = load(test_folder)
    if "clean" not in data or "lit" not in data or "clean" not in test or classes != test_classes:
        sys.exit(f"{folder}: needs the labels clean and lit; {test_folder} needs clean, and the same classes")
    if waves and "free" not in data:
        sys.exit(f"{folder}: its images have waves by the ground; add free to the labels")
    lit = data["lit"] / 255.0
    ground = data["image"] - data["clean"]
    # The target without waves by the ground, where there are any.
    free = data.get("free", data["clean"])
    copies = int(data["copy"].max()) + 1
    # Images are in order of target, copy and azimuth.
    azimuth = np.concatenate([np.arange(n) for n in np.unique(data["target"] * copies + data["copy"], return_counts=True)[1]])
    held = azimuth % HOLD == HOLD - 1
    one, turns = data["copy"] == 0, data["copy"] == azimuth % copies
    every = np.ones(len(free), bool)
    whole = "clutter, shadow, waves by the ground" if "free" in data else "clutter, shadow"
    variants = [
        ("free space", one, lambda rng: free),
        ("clutter", one, lambda rng: without_shadow(free, ground, lit, rng)),
        ("clutter, shadow", one, lambda rng: free + ground),
        *([(whole, one, lambda rng: data["image"])] if "free" in data else []),
        ("free space, copies by turns", turns, lambda rng: free),
        (f"{whole}, copies by turns", turns, lambda rng: data["image"]),
        (f"{whole}, all copies", every, lambda rng: data["image"]),
    ]
    rows = []
    percent = lambda found, label: 100 * float((found == label).mean())

    def row(name, count, *columns):
        cells = [f"{np.mean(x):.1f} ± {np.std(x, ddof=1):.1f}" if len(x) > 1 else f"{x[0]:.1f}" if x else "–" for x in columns]
        rows.append([name, str(count), *cells])
        print(*rows[-1], sep=", ", file=sys.stderr)

    for name, which, make in variants:
        own, tested = [], []
        for seed in range(SEEDS):
            image, label = levels(make(np.random.default_rng(seed))[which]), data["label"][which]
            out = held[which]
            net = train(image[~out], label[~out], len(classes), seed)
            own.append(accuracy(net, image[out], label[out]))
            tested.append(accuracy(net, levels(test["image"]), test["label"]))
            print(f"{name}, seed {seed}: {own[-1]:.1f} {tested[-1]:.1f}", file=sys.stderr)
        row(name, int((~out).sum()), own, tested)
    # Of the last of these: image and target alone, for the training, its held-out azimuths, and the test set.
    kept, label, seen = np.flatnonzero(~held), data["label"], test["label"]
    image, clean = levels(data["image"]), levels(data["clean"])
    test_image, test_clean = levels(test["image"]), levels(test["clean"])

    def neighbour(name, known, own, tested):
        found = [nearest(known[kept], label[kept], x) for x in (own[held], tested)]
        row(name, len(kept), [percent(found[0], label[held])], [percent(found[1], seen)])

    def networks(name, known, tested, draw=None):
        nets = [train(known[kept], label[kept], len(classes), seed, draw) for seed in range(SEEDS)]
        row(name, len(kept), [accuracy(n, known[held], label[held]) for n in nets], [accuracy(n, tested, seen) for n in nets])

    networks("the last, randomised", image, test_image, lambda part, rng: randomised(data["clean"][kept[part]], ground[kept[part]], rng))
    neighbour("the last, nearest neighbour", image, image, test_image)
    neighbour("targets of the last without clutter, nearest neighbour", clean, image, test_image)
    networks("the last, no clutter in any set", clean, test_clean)
    neighbour("the last, no clutter in any set, nearest neighbour", clean, clean, test_clean)
    # Azimuths of the test set by turns: all of a turn are left out.
    copies = int(test["copy"].max()) + 1
    azimuth = np.concatenate([np.arange(n) for n in np.unique(test["target"] * copies + test["copy"], return_counts=True)[1]])
    folds = [azimuth % SEEDS == seed for seed in range(SEEDS)]
    nets = [train(test_image[~out], seen[~out], len(classes), seed) for seed, out in enumerate(folds)]
    row("the test set, other azimuths", int((~folds[0]).sum()), [], [accuracy(n, test_image[out], seen[out]) for n, out in zip(nets, folds)])
    found = [percent(nearest(test_image[~out], seen[~out], test_image[out]), seen[out]) for out in folds]
    row("the test set, other azimuths, nearest neighbour", int((~folds[0]).sum()), [], found)
    head = ["learnt from", "images", "held-out azimuths, %", "test, %"]
    print("# Recognition of vehicles by what their training images show\n")
    print("samples/atr/vehicles.json (17° of depression, grassland) and")
    print(f"samples/atr/vehicles-test.json (30°, bare soil, turrets turned, other copies). {len(classes)} classes, {len(test['label'])} test images, {SEEDS} seeds.\n")
    width = [max(len(r[i]) for r in [head, *rows]) for i in range(len(head))]
    for row in [head, ["-" * width[0], *("-" * (w - 1) + ":" for w in width[1:])], *rows]:
        print("| " + " | ".join([row[0].ljust(width[0]), *(c.rjust(w) for c, w in zip(row[1:], width[1:]))]) + " |")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
