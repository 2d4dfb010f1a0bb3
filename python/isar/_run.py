"""The command line from Python."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any, Optional, Union

from ._dataset import Dataset
from ._load import Result, load

# Commands that print a summary with the place of their result.
_WITH_RESULT = {"render", "image", "rcs", "centres", "dataset", "propagate", "doppler"}


class IsarError(RuntimeError):
    """A run that failed: the message is the tool's line on what is wrong and how to fix it."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        #: Exit code: 1 the run failed, 2 bad usage or input, 130 interrupted, 127 isar was not found.
        self.code = code


def run(
    args: Sequence[Union[str, "os.PathLike[str]"]],
    *,
    cwd: Optional[Union[str, "os.PathLike[str]"]] = None,
    progress: bool = False,
) -> Union[Result, Dataset, dict[str, Any], str]:
    """Calls ``isar ARGS...`` and loads what it wrote.

    The command is ``npx isar``, or that of the environment variable ISAR_COMMAND (a command line, such as ``node /path/main.js``).

    :param args: words of the command line: ``["rcs", "cube.stl", "--freq", "3e9", "--force"]``
    :param cwd: folder to run in
    :param progress: pass the messages of the run on to stderr
    :returns: the result as ``load`` gives it; for commands that write none what they print, a dict where that is JSON
    :raises IsarError: where the run fails, with the tool's one line
    """
    words = [str(word) for word in args]
    writes = bool(words) and words[0] in _WITH_RESULT
    options = [o for o in ("--json", *([] if progress else ["--quiet"])) if writes and o not in words]
    # Never a package of that name that npx would fetch.
    command = shlex.split(os.environ.get("ISAR_COMMAND", "")) or ["npx", "--no-install", "isar"]
    command[0] = shutil.which(command[0]) or command[0]
    lines: list[str] = []
    with tempfile.TemporaryFile("w+", encoding="utf-8") as printed:
        try:
            process = subprocess.Popen(
                [*command, *words, *options], cwd=cwd, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.PIPE, text=True, encoding="utf-8"
            )
        except OSError as error:
            raise IsarError(f"cannot run {command[0]}: {error.strerror}; install isar or set ISAR_COMMAND", 127) from error
        with process:
            assert process.stderr is not None
            for line in process.stderr:
                lines.append(line.strip())
                if progress:
                    sys.stderr.write(line)
        printed.seek(0)
        text = printed.read()
    if process.returncode:
        raise IsarError(_reason(lines) or f"isar ended with code {process.returncode}", process.returncode)
    try:
        summary = json.loads(text)
    except ValueError:
        return text
    if writes and isinstance(summary, dict) and "out" in summary:
        return load(os.path.join(cwd or "", summary["out"]))
    return summary


def _reason(lines: list[str]) -> str:
    """The tool's line, without its name."""
    own = [line for line in lines if line.startswith("isar: ")]
    if own:
        return own[-1][len("isar: ") :]
    if any(line.startswith(("npm error", "npm ERR!")) for line in lines):
        return "npx finds no isar here; install it, run in its folder, or set ISAR_COMMAND"
    return next((line for line in reversed(lines) if line), "")
