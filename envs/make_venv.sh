#!/usr/bin/env bash
# Make .venv from the hash-pinned lock, after checking in one line each what the machine must have.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
stop() { printf 'shapedp: %s\n' "$1" >&2; exit 1; }

command -v "$python" >/dev/null || stop "no $python found; install Python 3.11 or newer (Debian: apt-get install -y python3 python3-venv)"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
  || stop "$("$python" --version) is too old; install Python 3.11 or newer and run: make PYTHON=python3.11 run"
"$python" -c 'import venv, ensurepip' 2>/dev/null \
  || stop "Python's venv module is missing; Debian: apt-get install -y python3-venv"
[ ! -L .venv ] || stop ".venv is a link to $(readlink .venv), the environment of another checkout, which would then run this one's code; remove the link and run this again"
free_mb=$(df -Pm . | awk 'NR == 2 {print $4}')
[ "$free_mb" -ge 3000 ] || stop "only $free_mb MB free here; the environment and the demo need 3,000 MB"
echo "shapedp: setting up .venv from requirements.lock (once, a few minutes)"
[ -x .venv/bin/python ] || "$python" -m venv .venv
# pip works with one processor, so two install half of the lock each. They look for no dependencies, all of which are
# in the lock, as `pip check` then sees.
halves=$(mktemp -d)
trap 'rm -rf "$halves"' EXIT
awk -v folder="$halves" '/^[A-Za-z]/ {pins++} {print >(folder "/" pins % 2)}' requirements.lock
export PIP_DISABLE_PIP_VERSION_CHECK=1
printf '%s\0' "$halves"/* | xargs -0 -n 1 -P 2 .venv/bin/python -m pip install --quiet --no-compile --no-deps --require-hashes -r \
  || stop "the packages could not be installed; see the lines above (no network, or no disk?)"
found=$(.venv/bin/python -m pip check) || stop "the packages in .venv do not fit together; remove .venv and run this again: $found"
# pip would compile with one processor. Packages' own tests are never run; a few files are templates, no Python, and stay
# as they are.
.venv/bin/python -m compileall -q -j 0 -x '/tests?/' .venv/lib >/dev/null || true
# The library itself, by path: the command `shapedp` works and an edit is seen at once.
site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
printf '%s\n' "$PWD/scripts" >"$site/shapedp.pth"
printf '#!%s\nimport sys\n\nfrom shapedp.app.cli.commands import main\n\nsys.exit(main())\n' "$PWD/.venv/bin/python" >.venv/bin/shapedp
chmod +x .venv/bin/shapedp
