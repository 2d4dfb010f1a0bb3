"""Results of isar, radar scattering of electrically large targets, as NumPy arrays.

``load`` reads a result, ``Dataset`` a set of images for target recognition, ``run`` calls the command line.

Conventions (docs/file-formats.md of isar): SI units, time factor exp(+j w t), (theta, phi) from the target to the radar in degrees,
V = theta-hat, H = phi-hat, channels as transmit and receive. Scattering amplitude F [m]: E_s = F exp(-jkr)/r for a unit incident plane
wave; RCS = 4 pi |F|^2 [m^2]. |pixel|^2 of an image is the RCS [m^2] of an isolated point.
"""

from ._arrays import Array
from ._dataset import Dataset
from ._load import Result, load
from ._run import IsarError, run

__version__ = "0.2.0"
__all__ = ["Array", "Dataset", "IsarError", "Result", "load", "run"]
