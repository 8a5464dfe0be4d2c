"""Plays recorded streams, FOLDER/ROUND/NAME.flv, to their ends in ffmpeg, VLC and hls.js, and prints a row per name and player.

Used by ../battle.sh, which sees to the programs. Several files play at once, each at its own pace, because a short stream leaves the CPU idle.
"""

import argparse
import concurrent.futures
import functools
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
# The share of a file's pictures that a player may not show: VLC leaves out the last one, and Chromium drops late ones on a busy machine,
# after it has decoded them.
MISSED = 0.15
# The pictures in VLC's cache of 0.3 s, which VLC drops at each change of size.
CACHED = 6


def probe(file):
    """The number of pictures in a file, and its length in seconds."""
    answer = subprocess.run(
        ["ffprobe", "-v", "error", "-count_packets", "-select_streams", "v", "-show_entries", "stream=nb_read_packets:format=duration",
         "-of", "json", file], capture_output=True, text=True, check=True)
    answer = json.loads(answer.stdout)
    return int(answer["streams"][0]["nb_read_packets"]), float(answer["format"]["duration"])


class Files(http.server.SimpleHTTPRequestHandler):
    """Serves a folder to pages of any origin."""

    def end_headers(self):
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def log_message(self, *_):
        pass


def command(player, file, length, report, options, work):
    """The player of a file."""
    own, limits = [sys.executable], [str(length + 15), report]
    if player == "ffmpeg":
        return own + [HERE / "decoders.py", "ffmpeg", file] + limits
    if player == "VLC":
        # A busy machine would otherwise make pictures late, which VLC drops.
        return own + [HERE / "vlc_player.py", file] + limits + ["--no-drop-late-frames", "--no-skip-frames"]
    folder = work / file.parent.name / file.stem
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", file, "-c", "copy", "-f", "hls", "-hls_time", "2", "-hls_list_size", "0",
         folder / "index.m3u8"], check=True)
    url = f"http://127.0.0.1:{options.port}/{folder.relative_to(work)}/index.m3u8"
    return own + [HERE / "chromium_player.py", "hls.js", url] + limits + [options.hls_js]


def play(player, file, options, work):
    """The player's report, with what is wrong with it."""
    pictures, length = probe(file)
    report = work / f"{file.parent.name}-{file.stem}-{player}.json"
    with open(report.with_suffix(".log"), "w") as log:
        subprocess.run(command(player, file, length, report, options, work), stdout=log, stderr=log, timeout=length + 90)
    result = json.load(open(report))
    shown = result["pictures"]
    wrong = []
    if not (result["end"] or "").startswith("ended by itself"):
        wrong.append(f"end: {result['end']}")
    if result["errors"]:
        wrong.append(f"errors: {result['first_errors']}")
    expected = pictures if player == "ffmpeg" else pictures * (1 - MISSED)
    if player == "VLC":
        expected -= CACHED * result["changes"]
    if shown < expected or player == "hls.js" and result["decoded"] < pictures:
        wrong.append(f"{shown} of {pictures} pictures")
    return dict(result, of=pictures, wrong=", ".join(wrong))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--hls-js", required=True, type=os.path.abspath)
    parser.add_argument("--together", type=int, default=8, help="players at once")
    parser.add_argument("--only", default="ffmpeg,VLC,hls.js", help="names of the players to run")
    options = parser.parse_args()
    files = sorted(options.folder.resolve().glob("*/*.flv"))
    names, players = sorted({file.stem for file in files}), options.only.split(",")
    results = {}
    with tempfile.TemporaryDirectory(prefix="recordings-") as work, concurrent.futures.ThreadPoolExecutor(options.together) as pool:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=work))
        options.port = server.server_port
        threading.Thread(target=server.serve_forever, daemon=True).start()
        running = {
            pool.submit(play, player, file, options, pathlib.Path(work)): (player, file) for file in files for player in players}
        for done in concurrent.futures.as_completed(running):
            player, file = running[done]
            try:
                result = done.result()
            except Exception as error:  # A player that crashes is a result too.
                result = {"wrong": repr(error)}
            results.setdefault((file.stem, player), []).append(result)
            print(f"{len(sum(results.values(), []))}/{len(running)} {file} {player}: {json.dumps(result)}", file=sys.stderr, flush=True)
    print("| stream | player | files | pictures | shown | longest pause, ms | decode errors | verdict |")
    print("|---|---|---|---|---|---|---|---|")
    for name in names:
        for player in players:
            rows = results[name, player]
            total = lambda key: sum(row.get(key, 0) for row in rows)  # noqa: E731
            wrong = [row["wrong"] for row in rows if row["wrong"]]
            pause = "–" if player == "ffmpeg" else max(row.get("stall", 0) for row in rows)
            print(
                f"| {name} | {player} | {len(rows)} | {total('of')} | {total('pictures')} | {pause} "
                f"| {total('errors')} | {f'{len(wrong)} failed: {wrong[0]}' if wrong else 'plays all'} |")
    sys.exit(any(row["wrong"] for rows in results.values() for row in rows))


main()
