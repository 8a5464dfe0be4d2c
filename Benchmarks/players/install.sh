# Installs players: packages of apt, and libraries of Python and hls.js into $venv, whose module is $hls_js. Sourced after ../measuring.sh:
#   . Benchmarks/players/install.sh PACKAGE…
absent=()
for package; do
  dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null | grep -qx installed || absent+=("$package")
done
if ((${#absent[@]} > 0)); then
  root=()
  [ "$(id -u)" -eq 0 ] || root=(sudo)
  "${root[@]}" apt-get update -q >&2
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${absent[@]}" >&2 < /dev/null
fi

venv=.venv/players
if [ ! -x $venv/bin/python ]; then
  /usr/bin/python3 -m venv $venv
  $venv/bin/pip install -q --disable-pip-version-check av==18.1.0 python-vlc==3.0.21203 numpy >&2
fi
# The wheel of gradio contains hls.js as a single module.
if ! compgen -G "$venv/hls-*.js" > /dev/null; then
  wheel=$out/wheel
  $venv/bin/pip download -q --disable-pip-version-check --no-deps --dest "$wheel" gradio==6.31.0 >&2
  $venv/bin/python -c 'import sys, zipfile
for name in (wheel := zipfile.ZipFile(sys.argv[1])).namelist():
    if name.startswith("gradio/templates/frontend/assets/hls-") and name.endswith(".js"):
        open(sys.argv[2] + "/" + name.rsplit("/", 1)[1], "wb").write(wheel.read(name))' "$wheel"/gradio-*.whl $venv
fi
hls_js=$(compgen -G "$venv/hls-*.js")
hls_js_version=$(grep -o '1\.[0-9]*\.[0-9]*' "$hls_js" | sort | uniq -c | sort -rn | awk 'NR==1 {print $2}')

CHROMIUM=$(deploy/chromium.sh)
export CHROMIUM
