"""Builds the native module with CMake. THALWEG_BUILD_DIR names a build tree, configured with THALWEG_PYTHON, to use."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
WORK = ROOT / "build" / "python"  # `build` alone is where CMake's presets build


def version():
    return re.search(r"project\(thalweg VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


class CMakeBuild(build_ext):
    def configure(self, folder):
        command = ["cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=OFF"]
        command += ["-DTHALWEG_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"]
        command += [f"-DTHALWEG_BUILD_{part}=OFF" for part in ("PROGRAM", "TESTS", "EXAMPLES")]
        if shutil.which("ninja"):
            command += ["-G", "Ninja"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def build_extension(self, ext):
        given = os.environ.get("THALWEG_BUILD_DIR")
        folder = pathlib.Path(given).resolve() if given else WORK / "native"
        if not given:
            self.configure(folder)
        jobs = os.environ.get("JOBS", str(os.cpu_count()))
        subprocess.run(["cmake", "--build", folder, "--target", "thalweg_python", "-j", jobs], check=True)
        module = folder / "python" / "thalweg" / f"_native{sysconfig.get_config_var('EXT_SUFFIX')}"
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(module, target)


WORK.mkdir(parents=True, exist_ok=True)
setup(
    version=version(),
    package_dir={"": "python"},
    packages=["thalweg"],
    package_data={"thalweg": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("thalweg._native", [])],
    cmdclass={"build_ext": CMakeBuild},
    options={"build": {"build_base": str(WORK)}, "egg_info": {"egg_base": str(WORK)}},
)
