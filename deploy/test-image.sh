#!/usr/bin/env bash
# Runs the steps of deploy/Dockerfile without a container engine: each stage in a minimal Debian created by debootstrap, and then
# the program as the image would start it. Requires root; takes as long as a release build.
#   deploy/test-image.sh                    all stages
#   deploy/test-image.sh --program FILE     only the last stage, with an existing executable
# The stages use this machine's network, and the first stage this machine's toolchain.
set -euo pipefail
cd "$(dirname "$0")/.."

program=
case ${1:-} in
  --program) program=$(readlink -f "${2:?usage: deploy/test-image.sh [--program FILE]}") ;;
  '') ;;
  *)
    echo "usage: deploy/test-image.sh [--program FILE]" >&2
    exit 2
    ;;
esac
[ "$(id -u)" -eq 0 ] || { echo "debootstrap and chroot need root" >&2; exit 1; }
command -v debootstrap >/dev/null || { apt-get update -q && apt-get install -y -q debootstrap; }

project=$PWD
home=${IMAGE_ROOT:-${TMPDIR:-/tmp}/roomserver-image}
mkdir -p "$home"
say() { printf '\n== %s\n' "$*"; }

mounts=()
pid=
finish() {
  if [ -n "$pid" ]; then kill "$pid" 2>/dev/null || true; fi
  local index
  for ((index = ${#mounts[@]} - 1; index >= 0; index--)); do umount -l "${mounts[index]}" 2>/dev/null || true; done
}
trap finish EXIT

if [ ! -e "$home/base/.made" ]; then
  say "debootstrap"
  mirror=$(awk '/^URIs:/ {print $2; exit}' /etc/apt/sources.list.d/*.sources 2>/dev/null || true)
  debootstrap --variant=minbase bookworm "$home/base" "${mirror:-http://deb.debian.org/debian}" >/dev/null
  touch "$home/base/.made"
fi

# Mounts a folder of this machine into the stage.
lend() {
  mkdir -p "$root$1"
  mount --bind "$1" "$root$1"
  mounts+=("$root$1")
}

# The swift image's additions to Debian: its toolchain and the toolchain's dependencies.
lend_toolchain() {
  local toolchain
  toolchain=$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")")
  lend "$toolchain"
  path=$toolchain/usr/bin:$path
  chroot "$root" apt-get update -q >/dev/null
  chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends binutils ca-certificates gcc git \
    libc6-dev libcurl4 libedit2 libncurses6 libsqlite3-0 libstdc++-12-dev libxml2 pkg-config tzdata zlib1g-dev unzip >/dev/null
  # A machine that uses a package mirror.
  [ ! -e /etc/gitconfig ] || cp /etc/gitconfig "$root/etc/"
  local copy
  copy=$(git config --system --get-regexp '^url\..*\.insteadof$' 2>/dev/null | sed -n 's/^url\.\(.*\)\.insteadof .*/\1/p' | head -n 1)
  if [ -d "${copy:-}" ]; then lend "${copy%/}"; fi
}

# Starts a stage in a new Debian.
begin_stage() {
  stage=$1
  root=$home/stage$stage
  if grep -q " $root/" /proc/mounts; then
    echo "another run is in progress in $root, or left its mounts" >&2
    exit 1
  fi
  rm -rf --one-file-system "$root"
  cp -a "$home/base" "$root"
  lend /proc
  lend /dev
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  cp /etc/apt/apt.conf.d/99* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
  # Certificates that this machine trusts in addition to Debian's, such as a proxy's, are trusted in the stage too.
  mkdir -p "$root/etc/ssl/certs"
  cp -rL /etc/ssl/certs/. "$root/etc/ssl/certs/" 2>/dev/null || true
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod 755 "$root/usr/sbin/policy-rc.d"
  path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  variables=() folder=/ user=root
}

# Runs a command in the stage as its image would; with in_its_place=exec, replaces this shell.
in_its_place=
in_stage() {
  $in_its_place chroot --userspec="$user" "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive PATH="$path" \
    "${variables[@]}" bash -c "cd $folder && $1"
}

# Only the steps that this project's Dockerfile uses.
step() {
  local word=$1 rest=$2
  case $word in
    RUN) in_stage "$rest" ;;
    COPY)
      local from=$project to
      if [[ $rest == --from=* ]]; then
        from=$home/stage1
        rest=${rest#* }
      fi
      read -r rest to <<<"$rest"
      [[ $to == /* ]] || to=$folder/$to
      mkdir -p "$root$to"
      if [ "$from" = "$project" ] && [ "$rest" = . ]; then
        # The files that .dockerignore does not exclude: those committed.
        git -c safe.directory='*' archive HEAD | tar -x -C "$root$to"
      elif [ -d "$from/$rest" ]; then
        cp -a "$from/$rest/." "$root$to"
      else
        cp -a "$from/$rest" "$root$to"
      fi
      ;;
    ENV) read -ra more <<<"$rest" && variables+=("${more[@]}") ;;
    WORKDIR) folder=$rest && mkdir -p "$root$folder" ;;
    USER) user=$rest ;;
    HEALTHCHECK) health=${rest#*CMD } ;;
    VOLUME | EXPOSE | STOPSIGNAL | ENTRYPOINT | CMD) ;;
    *)
      echo "deploy/test-image.sh does not support $word" >&2
      exit 1
      ;;
  esac
}

stage=0
exported=
while read -r word rest; do
  case $word in '' | '#'*) continue ;; esac
  if [ "$word" = FROM ]; then
    # A stage that is only copied out, and not run.
    exported=
    if [[ $rest == scratch* ]]; then exported=yes; continue; fi
    stage=$((stage + 1))
    if [ "$stage" = 1 ] && [ -n "$program" ]; then continue; fi
    say "FROM $rest"
    begin_stage "$stage"
    if [[ $rest == swift:* ]]; then lend_toolchain; fi
    continue
  fi
  if [ -n "$exported" ] || { [ "$stage" = 1 ] && [ -n "$program" ]; }; then continue; fi
  say "$word $rest"
  if [ -n "$program" ] && [[ $word == COPY ]]; then
    install -D "$program" "$root/usr/local/bin/roomserver"
    # A dynamically linked executable finds Swift's libraries at their path on this machine.
    libraries=$(ldd "$program" | sed -n 's|.* => \(.*\)/libswiftCore.so .*|\1|p')
    [ -z "$libraries" ] || lend "$libraries"
  else
    step "$word" "$rest"
  fi
done <deploy/Dockerfile

say "Nothing is missing"
if missing=$(in_stage "ldd /usr/local/bin/roomserver" | grep "not found"); then
  echo "$missing" >&2
  exit 1
fi
du -sm --one-file-system "$root" | sed 's/\t.*/ MB in all/'

say "The server starts as $user, serves, and stops"
variables+=(ROOMSERVER_KEY=image ROOMSERVER_SECRET=only-for-this-run-and-long-enough-for-hs256 ROOMSERVER_PORT=0)
variables+=(ROOMSERVER_MEDIA_PORT=0 ROOMSERVER_RTMP_PORT=0 ROOMSERVER_WORKERS=1)
: >"$home/log"
(in_its_place=exec in_stage "exec roomserver serve" 2>"$home/log") &
pid=$!
port=
for _ in $(seq 300); do
  port=$(sed -n 's/.*http=0\.0\.0\.0:\([0-9]*\).*serving.*/\1/p' "$home/log")
  [ -z "$port" ] || break
  kill -0 "$pid" 2>/dev/null || { cat "$home/log" >&2; exit 1; }
  sleep 0.1
done
[ -n "$port" ] || { echo "the server did not start" >&2; cat "$home/log" >&2; exit 1; }
is_healthy() { in_stage "ROOMSERVER_PORT=$1 sh -c $(printf %q "$health")"; }
is_healthy "$port" || { echo "HEALTHCHECK fails for a running server" >&2; exit 1; }
! is_healthy 1 2>/dev/null || { echo "HEALTHCHECK succeeds without a server" >&2; exit 1; }
in_stage "test -s /var/lib/roomserver/data/rooms.sqlite"
kill -TERM "$pid"
wait "$pid" || { echo "the server exited with $?" >&2; exit 1; }
pid=
say "The image works"
