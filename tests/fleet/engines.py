"""The same rows from every engine, also after kills, a full disk, and out of an object store.

    python tests/fleet/engines.py 4000 [STEP ...]

It needs `pip install -e '.[dask,spark]' pandas 'moto[server]'` and Java 17; the step `disk` needs
to be root. `same` also prints what each engine took.
"""

from __future__ import annotations

import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from command import EXAMPLES, MANIFEST, environment
from generate import many, write

_UNITS = 16
_PATIENCE = 300
_MANY = 1_000  # rows: with fewer, `s3` tries one engine only
_VICTIMS = ("a worker", "all workers", "the driver")
_HOST = EXAMPLES / "profiles" / "host-catalogue.schema.json"


class Engine(NamedTuple):
    """An engine as the command is told to use it, and what its workers' command lines contain."""

    name: str
    options: tuple[str, ...]
    workers: str


_LOCAL = Engine("local", ("--workers", "2"), "spawn_main")
_DASK = Engine("dask", ("--engine", "dask", "--workers", "2"), "spawn_main")
_SPARK = Engine("spark local[2,4]", ("--engine", "spark", "--workers", "2"), "pyspark.daemon")


def _command(engine: Engine, source: object, out: object, *more: str) -> list[str]:
    paths = (str(source), "--output", str(out))
    return [*MANIFEST, "fleet", "lint", *paths, *engine.options, *more]


def _run(engine: Engine, source: object, out: object, *more: str, **env: str) -> tuple[int, str]:
    """The exit code of a run, and what it says."""
    done = subprocess.run(
        _command(engine, source, out, *more),
        env=_environment(**env),
        capture_output=True,
        text=True,
        timeout=86_400,
        check=False,
    )
    return done.returncode, done.stderr


def _environment(**env: str) -> dict[str, str]:
    return environment(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable, **env)


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        each.relative_to(folder).as_posix(): each.read_bytes()
        for each in folder.rglob("*")
        if each.is_file()
    }


def _expect(condition: object, what: str, said: object = "") -> None:
    if not condition:
        print(f"FAILED: {what}\n{said}")
        sys.exit(1)


def _until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + _PATIENCE
    while not condition():
        _expect(time.monotonic() < end, f"{what} within {_PATIENCE} s")
        time.sleep(0.05)


def _descendants(pid: int) -> dict[int, str]:
    """The processes below one, with their command lines."""
    parents: dict[int, list[int]] = {}
    for each in Path("/proc").iterdir():
        with suppress(OSError, ValueError, IndexError):
            parent = int((each / "stat").read_text().rpartition(")")[2].split()[1])
            parents.setdefault(parent, []).append(int(each.name))
    found, todo = dict[int, str](), [pid]
    while todo:
        for child in parents.get(todo.pop(), []):
            with suppress(OSError):
                found[child] = Path(f"/proc/{child}/cmdline").read_bytes().decode(errors="replace")
                todo.append(child)
    return found


def _kill(pids: Sequence[int]) -> None:
    for each in pids:
        with suppress(ProcessLookupError):
            os.kill(each, 9)


@contextmanager
def _standalone() -> Iterator[Engine]:
    """A master of Spark with two workers, each a process of its own."""
    import pyspark  # noqa: PLC0415 - an extra

    start = Path(pyspark.__file__).parent / "bin" / "spark-class"
    port = _free_port()
    deploy, address = "org.apache.spark.deploy", f"spark://127.0.0.1:{port}"
    at = ("--host", "127.0.0.1")
    worker = ("worker.Worker", *at, "--cores", "1", "--memory", "1g", address)
    with tempfile.TemporaryDirectory() as work:
        parts = [
            subprocess.Popen(
                [start, f"{deploy}.{name}", *more, "--webui-port", "0"],
                env=_environment(SPARK_WORKER_DIR=work),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for name, *more in (("master.Master", *at, "--port", str(port)), worker, worker)
        ]
        try:
            _until(lambda: _listens(port), "a master of Spark listens")
            options = ("--engine", "spark", "--cluster", address)
            yield Engine("spark standalone", options, "CoarseGrainedExecutorBackend")
        finally:
            for each in parts:
                _kill([each.pid, *_descendants(each.pid)])
                each.wait()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def _listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def same(source: Path, count: int, folder: Path) -> None:
    """Every engine gives the same rows to the byte."""
    with _standalone() as standalone:
        for engine in (_LOCAL, _DASK, _SPARK, standalone):
            before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            out = folder / engine.name
            code, said = _run(engine, source, out)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            seconds = time.monotonic() - began
            _expect(code == 0 and f"{count:,} manifests checked" in said, engine.name, said)
            _expect(_contents(out) == _contents(folder / _LOCAL.name), f"{engine.name} is the same")
            print(f"same: {engine.name}: {seconds:.1f} s, {cpu:.1f} s of CPU, {count:,} rows")
            if engine is not _LOCAL:
                shutil.rmtree(out)


def kills(source: Path, count: int, folder: Path) -> None:
    """Whatever is killed, a second run completes it to the byte, and a third does nothing."""
    del count
    _whole(source, folder)
    with _standalone() as standalone:
        for engine in (_LOCAL, _DASK, _SPARK, standalone):
            for victim in _VICTIMS:
                for moment in (1, _UNITS // 2, _UNITS - 2):
                    _killed(engine, victim, moment, source, folder)


def few(source: Path, count: int, folder: Path) -> None:
    """The same for some of these cases."""
    del count
    _whole(source, folder)
    cases = ((_LOCAL, "a worker"), (_LOCAL, "the driver"), (_DASK, "all workers"))
    for engine, victim in (*cases, (_SPARK, "a worker")):
        _killed(engine, victim, _UNITS // 2, source, folder)


def _whole(source: Path, folder: Path) -> Path:
    code, said = _run(_LOCAL, source, folder / "whole")
    _expect(code == 0, "a whole run", said)
    return folder / "whole"


def _killed(engine: Engine, victim: str, moment: int, source: Path, folder: Path) -> None:
    out, whole = folder / "killed", folder / "whole"
    what = f"{engine.name}, {victim} after {moment} units"
    began = time.monotonic()
    process = subprocess.Popen(
        _command(engine, source, out), env=_environment(), stderr=subprocess.PIPE, text=True
    )
    _until(
        lambda: len(list(out.glob("*.parquet"))) >= moment or process.poll() is not None,
        f"{moment} units",
    )
    below = _descendants(process.pid)
    everywhere = _descendants(os.getpid())
    workers = [pid for pid, line in everywhere.items() if engine.workers in line]
    done = len(list(out.glob("*.parquet")))
    chosen = {"a worker": workers[-1:], "all workers": workers, "the driver": [process.pid]}[victim]
    _kill(chosen)
    _, said = process.communicate()
    if victim == "the driver":
        _until(
            lambda: not any(Path(f"/proc/{pid}").exists() and not _is_zombie(pid) for pid in below),
            f"{what}: its processes end",
        )
    code, again = _run(engine, source, out)
    _expect(code == 0, f"{what}: the second run", f"{said}\n{again}")
    _expect(_contents(out) == _contents(whole), f"{what}: the same to the byte")
    code, third = _run(_LOCAL, source, out)
    _expect(code == 0 and "\n0 manifests checked" in third, f"{what}: the third run", third)
    shutil.rmtree(out)
    first = "completed" if process.returncode == 0 else f"ended with {process.returncode}"
    print(
        f"kills: {what}: {len(chosen)} killed with {done} of {_UNITS} units done, the first run "
        f"{first}; {time.monotonic() - began:.1f} s",
        flush=True,
    )


def _is_zombie(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return True


def disk(source: Path, count: int, folder: Path) -> None:
    """A full disk is told, leaves nothing that is half written, and is no loss."""
    del count
    whole, full = _whole(source, folder), folder / "full"
    size = sum(map(len, _contents(whole).values()))
    full.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size // 2}", "none", full], check=True)
    try:
        for engine in (_LOCAL, _DASK, _SPARK):
            code, said = _run(engine, source, full / "out")
            _expect(code != 0 and "no space left on device" in said, "a full disk is told", said)
            wanted = _contents(whole)
            there = _contents(full / "out")
            _expect(all(wanted[name] == data for name, data in there.items()), "nothing is half")
            print(
                f"disk: {engine.name}: {len(there) - 1} of {_UNITS} units, {said.splitlines()[-2]}"
            )
        subprocess.run(["mount", "-o", f"remount,size={size * 3}", full], check=True)
        _expect(_run(_LOCAL, source, full / "out")[0] == 0, "with room, it is completed")
        _expect(_contents(full / "out") == _contents(whole), "the same to the byte")
    finally:
        subprocess.run(["umount", full], check=True)


def s3(source: Path, count: int, folder: Path) -> None:
    """From and to an object store, and what is told when that is not possible."""
    import boto3  # type: ignore[import-not-found]  # noqa: PLC0415 - for this step

    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    server = subprocess.Popen(
        [str(Path(sys.executable).parent / "moto_server"), "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _until(lambda: _listens(port), "the store listens")
        root = {"aws_access_key_id": "root", "aws_secret_access_key": "root"}
        service = partial(boto3.client, endpoint_url=url, region_name="us-east-1", **root)
        store, users = service("s3"), service("iam")
        store.create_bucket(Bucket="host")
        for name, data in _contents(source).items():
            store.put_object(Bucket="host", Key=f"in/{name}", Body=data)
        users.create_user(UserName="host")
        allow = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}'  # noqa: E501
        users.put_user_policy(UserName="host", PolicyName="all", PolicyDocument=allow)
        key = users.create_access_key(UserName="host")["AccessKey"]
        _post(f"{url}/moto-api/reset-auth", b"0")
        good = {
            "AWS_ACCESS_KEY_ID": key["AccessKeyId"],
            "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"],
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_ENDPOINT_URL": url,
        }
        _whole(source, folder)
        for engine in (_LOCAL, _DASK, _SPARK) if count >= _MANY else (_LOCAL,):
            out = f"s3://host/{engine.name.split()[0]}"
            code, said = _run(engine, "s3://host/in", out, **good)
            _expect(
                code == 0 and f"{count:,} manifests checked" in said, f"s3, {engine.name}", said
            )
            code, said = _run(engine, "s3://host/in", out, **good)
            _expect("\n0 manifests checked" in said, f"s3, {engine.name}: again", said)
            told = subprocess.run(
                [*MANIFEST, "fleet", "impact", str(folder / "whole"), out],
                env=_environment(**good), capture_output=True, text=True, check=False,
            )  # fmt: skip
            _expect("0 newly failing, 0 newly passing" in told.stdout, "impact", told)
            print(f"s3: {engine.name}: {count:,} rows, then 0; {told.stdout.splitlines()[0]}")
        wrong = {**good, "AWS_SECRET_ACCESS_KEY": "wrong"}
        silent = socket.create_server(("127.0.0.1", 0))
        slow = {**good, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{silent.getsockname()[1]}"}
        gone = {**good, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{_free_port()}"}
        here = str(folder / "none")
        for what, source_, out, env, told_ in (
            ("wrong credentials", "s3://host/in", here, wrong, "refuses the credentials"),
            ("wrong credentials to write", str(source), "s3://host/x", wrong, "refuses the cred"),
            ("no bucket", "s3://nowhere/in", here, good, "no such"),
            ("no bucket to write", str(source), "s3://nowhere/x", good, "no such bucket"),
            ("no answer", "s3://host/in", here, slow, "does not answer"),
            ("no service", "s3://host/in", here, gone, "does not answer"),
        ):
            began = time.monotonic()
            code, said = _run(_LOCAL, source_, out, **env)
            seconds = time.monotonic() - began
            _expect(code == 2 and told_ in said and seconds < _PATIENCE, f"s3: {what}", said)
            _expect(key["SecretAccessKey"] not in said, "no secret is told", said)
            print(f"s3: {what}: {seconds:.1f} s: {said.strip()}")
    finally:
        server.kill()
        server.wait()


def _post(url: str, data: bytes) -> None:
    from urllib.request import Request, urlopen  # noqa: PLC0415 - for this step

    request = Request(url, data, {"Content-Type": "text/plain"})  # noqa: S310 - on loopback
    with urlopen(request, timeout=10):  # noqa: S310 - likewise
        pass


def pipeline(_: Path, count: int, folder: Path) -> None:
    """The function in somebody's own pipeline: `mapInArrow`."""
    program = folder / "pipeline.py"
    program.write_text(_PIPELINE, "utf-8")
    done = subprocess.run(
        [sys.executable, program, str(count // 10)],
        env={**_environment(), "PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True, text=True, timeout=_PATIENCE, check=False,
    )  # fmt: skip
    rows = sum(1 for _ in many(count // 10))
    _expect(f"{rows} rows" in done.stdout, "mapInArrow", done)
    print(f"pipeline: mapInArrow: {done.stdout.strip()}")


_PIPELINE = """
import sys
from functools import partial
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema
from generate import many
from manifestkit.fleet import SCHEMA, FleetPolicy, lint_batches

session = SparkSession.builder.master("local[2]").getOrCreate()
rows = session.createDataFrame(list(many(int(sys.argv[1]))), "uri string, content binary")
policy = FleetPolicy()
results = rows.mapInArrow(lambda batches: lint_batches(batches, policy), from_arrow_schema(SCHEMA))
print(f"{results.count()} rows, {results.where('fails').count()} fail")
session.stop()
"""

_STEPS: dict[str, Callable[[Path, int, Path], Any]] = {
    "same": same,
    "kills": kills,
    "few": few,
    "disk": disk,
    "s3": s3,
    "pipeline": pipeline,
}


if __name__ == "__main__":
    number = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        root_folder = Path(name)
        given = write(root_folder / "in", number, group=-(-number // _UNITS))
        for step in sys.argv[2:] or [each for each in _STEPS if each != "few"]:
            started = time.monotonic()
            (root_folder / step).mkdir()
            _STEPS[step](given, number, root_folder / step)
            print(f"{step}: {time.monotonic() - started:.0f} s", flush=True)
