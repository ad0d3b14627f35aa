"""The program within Python, and the program that starts Python."""

import os
import shutil
import subprocess
import sys

import pytest

SMALL = ["--width=16", "--batch-size=16", "--initial-steps=40", "--explore-steps=50", "--updates=10",
         "--evaluation-steps=60", "--path-limit=25", "--epochs=2"]


def here(*words, **options):
    return subprocess.run([sys.executable, "-m", "wac", *words], capture_output=True, text=True, **options)


def test_trains_by_the_name_of_gymnasium(tmp_path):
    run = here("train", "Pendulum-v1", "--algorithm=sac", *SMALL, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "runs/Pendulum-v1-sac-1"
    on = here("train", "--resume", "runs/Pendulum-v1-sac-1", "--epochs=3", cwd=tmp_path)
    assert on.returncode == 0, on.stderr
    assert here("evaluate", "runs/Pendulum-v1-sac-1", cwd=tmp_path).returncode == 0
    stats = here("stats", "runs", cwd=tmp_path)
    assert stats.returncode == 0 and "Pendulum-v1" in stats.stdout


def test_presets_and_the_prior():
    assert "200" in here("config", "Pendulum-v1").stdout
    refused = here("train", "Pendulum-v1", "--algorithm=oe-wac")
    assert refused.returncode == 2 and "1000 random steps brought" in refused.stderr
    assert here("config", "point-4-sparse").returncode == 0
    unknown = here("train", "Pendulun-v1")
    assert unknown.returncode == 2


def test_checks_environments():
    check = here("check", "gym:Pendulum-v1", "--steps=1000", "--algorithm=sac")
    assert check.returncode == 0, check.stdout + check.stderr
    assert "MISTAKE" not in check.stdout


def test_sweeps(tmp_path):
    (tmp_path / "mine.yaml").write_text("environments: ['gym:Pendulum-v1']\nalgorithms: [sac]\nseeds: [1, 2]\n"
                                        + "settings:\n" + "".join(
        "  " + word[2:].replace("-", "_").replace("=", ": ") + "\n" for word in SMALL))
    run = here("sweep", "mine.yaml", cwd=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.skipif("WAC_PROGRAM" not in os.environ, reason="the program is not built")
def test_the_program_starts_python(tmp_path):
    environment = os.environ | {"WAC_PYTHON": sys.executable}
    program = [os.environ["WAC_PROGRAM"], "train", "gym:Pendulum-v1", "--algorithm=sac", *SMALL]
    run = subprocess.run(program, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    on = subprocess.run([program[0], "evaluate", run.stdout.strip()], cwd=tmp_path, env=environment,
                        capture_output=True, text=True)
    assert on.returncode == 0, on.stderr
    broken = subprocess.run(program, cwd=tmp_path, env=environment | {"WAC_PYTHON": "/nowhere/python"},
                            capture_output=True, text=True)
    assert broken.returncode == 2 and "WAC_PYTHON" in broken.stderr
