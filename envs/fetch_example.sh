#!/usr/bin/env bash
# Get the example's faces through pip, at one version and hash, into data/example/scans; nothing of them is tracked.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python}
folder=data/example
stop() { printf 'shapedp: %s\n' "$1" >&2; exit 1; }

if [ ! -f "$folder/LICENSE" ]; then
  echo "shapedp: asking pip for the example's faces (60 MB, once)"
  mkdir -p "$folder"
  download=$(mktemp -d "$folder/.download.XXXXXX")
  trap 'rm -rf "$download"' EXIT
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary meshmonk --require-hashes \
    -r envs/example.lock --dest "$download" >"$download/log" 2>&1 \
    || stop "the example's faces cannot be reached: pip got no $(grep -o 'meshmonk==[0-9.]*' envs/example.lock) ($(grep -m 1 ERROR "$download/log" || echo 'no network?'))"
  tar -xzf "$download"/meshmonk-*.tar.gz -C "$download"
  data=$(echo "$download"/meshmonk-*/tutorial/TutorialData)
  rm -rf "$folder/scans" "$folder/public"
  mkdir "$folder/scans" "$folder/public"
  mv "$data"/SimulatedMappedFaces/SIMPOP_{0[1-9],1[0-5]}.obj "$folder/public"  # stand for a public population
  mv "$data"/SimulatedMappedFaces/SIMPOP_*.obj "$folder/scans"
  mv "$data/Template.obj" "$folder/template.obj"
  mv "$download"/meshmonk-*/LICENSE "$folder/LICENSE"  # last: says that all is there
fi
echo "shapedp: $(find "$folder/scans" "$folder/public" -name '*.obj' | wc -l) simulated faces of MeshMonk in $folder;" \
  "licence, whole text in $folder/LICENSE:$(grep -m 1 Copyright "$folder/LICENSE" | tr -s ' ')$(grep -m 1 'Apache License' "$folder/LICENSE" | tr -s ' ')$(grep -m 1 '  Version 2' "$folder/LICENSE" | tr -s ' ')"
