#!/usr/bin/env bash
# Builds the npm package of the web client, with types that tsc makes of its JSDoc, and prints the path of its tarball. Needs no network.
#
#   deploy/build-web.sh [--check | --update] [OUTPUT-FOLDER]
#
# The output folder is .build-client/web by default. With --check the tarball is only made in a temporary folder, installed in an empty
# project, and an app that uses every export (deploy/web/app.ts) is checked by tsc --strict. npm packs and installs if it is there;
# without it, tar does, in npm's layout: Debian's npm brings hundreds of other packages. It also fails if docs/client-web-api.md is not what
# deploy/web/api.mjs makes of the JSDoc, or if too little of the API is described. --update writes that page, and makes no package.
set -euo pipefail
cd "$(dirname "$0")/.."

checks=false
updates=false
case ${1:-} in
  --check) checks=true; shift ;;
  --update) updates=true; shift ;;
esac
for tool in node tsc; do
  command -v "$tool" >/dev/null || { echo "error: there is no $tool; deploy/install-packages.sh --tests installs it" >&2; exit 2; }
done
has_npm=true
command -v npm >/dev/null || has_npm=false

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
package=$work/package
mkdir -p "$package"
sources=$(find Sources/WebClient -name '*.js' ! -path '*/examples/*')
node deploy/web/package.mjs "$package" $sources
# The types that the modules share, of which the API's are made from api/openapi.yaml.
sed "s#'./core/#'./#" Sources/WebClient/types.d.ts | cat - deploy/console/wire.d.ts >"$package/types.d.ts"
(
  cd "$package"
  tsc --allowJs --declaration --emitDeclarationOnly --strict --target ES2022 --module ES2022 --lib ES2022,DOM,DOM.Iterable types.d.ts ./*.js >/dev/null || true
  # tsc leaves out the endings of modules whose types it refers to.
  sed -i -E 's#import\("(\./[a-z-]+)"\)#import("\1.js")#g' ./*.d.ts
  for entry in room*.d.ts; do sed -i '1i /// <reference path="./types.d.ts" />' "$entry"; done
)
node deploy/web/package.mjs --types "$package"
cp LICENSE deploy/web/README.md "$package/"

api=docs/client-web-api.md
if $updates; then
  node deploy/web/api.mjs "$package" >"$work/api.md"
  cp "$work/api.md" $api
  exit
fi
if $checks; then
  node deploy/web/api.mjs --check "$package"
  node deploy/web/api.mjs "$package" 2>/dev/null | diff $api - >&2 || { echo "the JSDoc has changed: run deploy/build-web.sh --update" >&2; exit 1; }
fi

# pack FOLDER: packs the package there, and prints the tarball's path.
pack() {
  if $has_npm; then
    (cd "$package" && npm pack --silent --offline --pack-destination "$1" >/dev/null)
  else
    tar -C "$work" -czf "$1/roomclient-$version.tgz" package
  fi
  echo "$1/roomclient-$version.tgz"
}
version=$(node -p 'require(process.argv[1]).version' "$package/package.json")

if ! $checks; then
  output=${1:-.build-client/web}
  mkdir -p "$output"
  pack "$(cd "$output" && pwd)"
  exit
fi

tarball=$(pack "$work")
app=$work/app
mkdir -p "$app/node_modules/roomclient"
cp deploy/web/app.ts "$app/"
cd "$app"
echo '{"name": "app", "private": true, "type": "module"}' >package.json
if $has_npm; then
  npm install --silent --offline --no-audit --no-fund "$tarball"
else
  tar -xzf "$tarball" -C node_modules/roomclient --strip-components 1
fi
tsc --strict --noEmit --target ES2022 --module node16 --lib ES2022,DOM,DOM.Iterable app.ts
node "$OLDPWD/deploy/web/package.mjs" --exports node_modules/roomclient app.ts
