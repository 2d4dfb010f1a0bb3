#!/usr/bin/env python3
"""Nearest-neighbour classifier for a dataset of `isar dataset`, with numpy alone.

    python3 samples/atr/classify.py quick-dataset

Every test image takes the class of the training image that it correlates with best, over all shifts: magnitudes of the
first channel in decibels down to 15 dB below the brightest pixel, correlated by FFT and normalised. Prints the
accuracy on the held-out part and the confusion matrix.
"""

import glob
import json
import sys

import numpy as np

FLOOR_DB = 15


def load(folder, split):
    shards = [np.load(f) for f in sorted(glob.glob(f"{folder}/npz/{split}/*.npz"))]
    if not shards:
        sys.exit(f"{folder}/npz/{split}: no shards; give a dataset with splits train and test, and npz among its formats")
    return np.concatenate([s["image"][:, 0] for s in shards]), np.concatenate([s["label"] for s in shards])


def features(images):
    """Decibels above the floor, of zero mean and unit energy, as two-dimensional spectra."""
    magnitude = np.abs(images)
    level = 20 * np.log10(np.maximum(magnitude / magnitude.max(axis=(1, 2), keepdims=True), 1e-9))
    level = np.maximum(level + FLOOR_DB, 0)
    level -= level.mean(axis=(1, 2), keepdims=True)
    level /= np.sqrt((level**2).sum(axis=(1, 2), keepdims=True))
    return np.fft.rfft2(level)


def main(folder):
    classes = json.load(open(f"{folder}/dataset.json"))["classes"]
    train, train_label = load(folder, "train")
    test, test_label = load(folder, "test")
    shape = test.shape[1:]
    templates = features(train)
    guess = []
    for spectrum in features(test):
        correlation = np.fft.irfft2(spectrum * np.conj(templates), s=shape, axes=(1, 2))
        guess.append(train_label[correlation.max(axis=(1, 2)).argmax()])
    guess = np.array(guess)
    print(f"{len(train)} training images, {len(test)} test images, {len(classes)} classes")
    print(f"accuracy on held-out aspects: {100 * (guess == test_label).mean():.1f} %")
    width = max(map(len, classes)) + 2
    print("".rjust(width) + "".join(c.rjust(width) for c in classes) + "   (columns: predicted)")
    for i, name in enumerate(classes):
        row = [((test_label == i) & (guess == j)).sum() for j in range(len(classes))]
        print(name.rjust(width) + "".join(str(n).rjust(width) for n in row))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "quick-dataset")
