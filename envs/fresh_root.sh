#!/usr/bin/env bash
# A bare Debian 12 with make, git, python3 and venv, made from nothing; in it a clone of this checkout's last commit, and
# there `make run` and `make test`. Needs root, debootstrap, 6 GB and half an hour. Where packages come from is what
# this machine's apt and pip are set to: those settings are handed in, none stands here.
set -euo pipefail
cd "$(dirname "$0")/.."
stop() { printf 'shapedp: %s\n' "$1" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || stop "make fresh needs root, to change into another root folder"
command -v debootstrap >/dev/null || stop "no debootstrap found; Debian: apt-get install -y debootstrap"

root=${FRESH_ROOT:-$(mktemp -d --tmpdir shapedp_fresh.XXXXXX)}
mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' | awk '$1 == "bookworm" {print $2; exit}')
if [ ! -e "$root/bin/bash" ]; then
  echo "shapedp: a bare Debian 12 in $root"
  debootstrap --variant=minbase --include=make,git,python3,python3-venv,ca-certificates bookworm "$root" ${mirror:+"$mirror"} \
    >"$root.log" 2>&1 || stop "debootstrap failed; see $root.log"
fi

# What pip needs to know here: its settings, whom it trusts, and the files and folders that the settings name.
mapfile -t settings < <(env | grep -E '^(PIP_[A-Z_]*|[A-Za-z]*_(proxy|PROXY)|SSL_CERT_FILE|REQUESTS_CA_BUNDLE)=')
for path in /etc/pip.conf "$HOME/.config/pip/pip.conf" /etc/ssl/certs/ca-certificates.crt "${settings[@]#*=}"; do
  [ -e "$path" ] || continue
  inside=$root${path/#$HOME//root}
  mkdir -p "$(dirname "$inside")" && cp -rTL "$path" "$inside"
done

rm -rf "$root/shapedp"
git clone --quiet --no-hardlinks . "$root/shapedp"
enter() {
  # In a namespace of its own, so that what is mounted is gone when it ends.
  unshare --mount --propagation private bash -c '
    root=$1; shift
    mount -t proc proc "$root/proc"; mount --rbind /dev "$root/dev"; mount -t tmpfs tmpfs "$root/tmp"
    exec chroot "$root" env -i HOME=/root PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8 "$@"
  ' enter "$root" "${settings[@]}" bash -c "cd /shapedp && $1"
}
for target in ${FRESH_TARGETS:-run test}; do
  echo "shapedp: make $target in $root"
  SECONDS=0
  enter "make $target"
  echo "shapedp: make $target took $SECONDS s"
done
[ -n "${FRESH_ROOT:-}" ] || rm -rf "$root" "$root.log"
