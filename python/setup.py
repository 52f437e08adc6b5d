"""Builds the package's native part and the program with CMake.

ROOFTILE_BUILD names a build folder to use; without it there is one in build/pip, so that a second time takes seconds.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent.parent


class FreshBuild(build_py):
    """Without modules of an earlier build that are no more."""

    def run(self):
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        build = Path(os.environ.get("ROOFTILE_BUILD") or ROOT / "build" / "pip" / "cmake").resolve()
        subprocess.run(["cmake", "-S", str(ROOT), "--preset", "python", "-B", str(build),
                        f"-DPython3_EXECUTABLE={sys.executable}"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", str(build), "--target", "rooftile_package"], check=True)
        made = build / "python" / "rooftile"
        package = Path(self.get_ext_fullpath(extension.name)).resolve().parent
        (package / "bin").mkdir(parents=True, exist_ok=True)
        shutil.copy2(made / "bin" / "rooftile", package / "bin" / "rooftile")
        for native in made.glob("_core*"):
            shutil.copy2(native, package / native.name)


setup(ext_modules=[Extension("rooftile._core", [])], cmdclass={"build_py": FreshBuild, "build_ext": CMakeBuild},
      options={"build": {"build_base": str(ROOT / "build" / "pip")}})
