"""Check the submitted manifests, fix what is safe to fix, and report the rest.

Run it as `python intake.py FOLDER PROFILE`; it exits with 1 if a manifest has an error, or if
anything else is in the folder or below: links, which could lead to any file, and other files.
"""

import stat
import sys
from pathlib import Path

import manifestkit


def check(file: Path, host: manifestkit.Schema) -> manifestkit.FileResult:
    """Fix one manifest in its place, and return what is still wrong with it."""
    data = file.read_bytes()
    fixed = manifestkit.fix(data, file, profile=host)
    if fixed.data != data:
        file.write_bytes(fixed.data)
        print(f"{file}: {len(fixed.fixed)} fixed")
    return fixed.result


def main(folder: str, profile: str) -> int:
    """Check each manifest in a folder, and write a report of all of them."""
    try:
        host = manifestkit.load_profile(profile)
    except manifestkit.SchemaError as error:
        print(error, file=sys.stderr)
        return 2
    sent = sorted(
        each for each in Path(folder).rglob("*") if not stat.S_ISDIR(each.lstat().st_mode)
    )
    named = [file for file in sent if file.suffix.lower() in {".json", ".yaml", ".yml"}]
    files = [file for file in named if stat.S_ISREG(file.lstat().st_mode)]
    report = manifestkit.Report.of(check(file, host) for file in files)
    for other in sorted({*sent} - {*files}):
        print(f"{other}: not checked: no regular file that is named as JSON or YAML")
    for finding in report.findings:
        place = f"{finding.path}:{finding.location.line}"
        print(f"{place}: {finding.severity.value}: {finding.message}")
    Path("report.sarif").write_text(manifestkit.render(report, "sarif"), encoding="utf-8")
    print(f"{report.summary.files} checked, {report.summary.errors} errors")
    return 1 if report.fails or len(files) < len(sent) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
