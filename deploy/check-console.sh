#!/usr/bin/env bash
# Checks the modules of the web client and of the pages with Debian's packages: their syntax, types (tsc reads JSDoc and deploy/console/*.d.ts)
# and style (ESLint), the bytes that a browser loads at first, the npm package of the web client with its API page, and what modules without
# a page compute (deploy/console/modules.test.mjs). Prints one line if nothing is found; else the findings, and exits with 1.
#
# deploy/console/wire.d.ts is made from api/openapi.yaml. `deploy/check-console.sh --update` writes it anew.
set -euo pipefail
cd "$(dirname "$0")/.."

pages='Sources/WebPages/*/Page Sources/WebClient' # unquoted: the folders of all pages, and that of the web client
types=deploy/console
oldest=4.8 # TypeScript; Ubuntu 22.04 has an older one

for tool in node tsc eslint; do
  if ! command -v "$tool" >/dev/null; then
    echo "Console: $tool is not installed; deploy/install-packages.sh --tests installs it." >&2
    exit 2
  fi
done
version=$(tsc --version)
version=${version##* }
if [ "$(printf '%s\n' "$oldest" "$version" | sort -V | head -n 1)" != "$oldest" ]; then
  echo "Console: not checked: TypeScript $oldest or newer is required, this is $version."
  exit 0
fi

# /usr/bin/python3 has Debian's python3-yaml.
wire() { /usr/bin/python3 $types/wire-types.py api/openapi.yaml; }
case ${1:-} in
  --update) wire >$types/wire.d.ts ;;
  '') ;;
  *)
    echo "usage: deploy/check-console.sh [--update]" >&2
    exit 2
    ;;
esac

findings=$(mktemp)
trap 'rm -f "$findings"' EXIT
failed=()
# Runs a check; keeps its output if it fails.
check() {
  local name=$1 output
  shift
  output=$("$@" 2>&1) || {
    failed+=("$name")
    printf '%s\n' "$output" >>"$findings"
  }
}

modules() { find $pages -name '*.js'; }
syntax() {
  local file status=0
  # From standard input, because Node.js 18 reads a .js file as CommonJS.
  for file in $(modules); do node --check --input-type=module <"$file" || { echo "in $file"; status=1; }; done
  return $status
}
fresh() { wire | diff $types/wire.d.ts - || { echo "api/openapi.yaml has changed: run deploy/check-console.sh --update"; return 1; }; }
# NODE_PATH is for a Node.js that is not Debian's; the format `unix` requires no other package.
lint() {
  NODE_PATH=/usr/share/nodejs:/usr/lib/nodejs eslint --no-eslintrc --config $types/eslint.json --format unix --max-warnings 0 $pages
}

check syntax syntax
check wire.d.ts fresh
check types tsc --project $types
check lint lint
# All files: what a page loads is more than modules.
check weights node $types/weights.mjs $(find $pages -type f ! -name '*.swift' ! -path '*/examples/*')
check package deploy/build-web.sh --check
check tests node --test $types/modules.test.mjs

if ((${#failed[@]} > 0)); then
  cat "$findings"
  echo "Console: findings in ${#failed[@]} of 7 checks: ${failed[*]}."
  exit 1
fi
echo "Console: $(modules | wc -l) modules, no findings (TypeScript $version)."
