"""Headless Chromium, as far as tests of pages need it."""

from __future__ import annotations

import shutil
import socketserver
import struct
import subprocess
import threading
import zlib

from running import SECONDS

CHROMIUM = shutil.which('chromium') or shutil.which('chromium-browser')
OPTIONS = ('--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
           '--disable-background-networking', '--disable-component-update', '--disable-sync',
           '--hide-scrollbars', '--proxy-bypass-list=<-loopback>', '--dump-dom')
SCHEMES = {'dark': 0, 'light': 1}


class Proxy:
    """A web proxy that answers nothing, and lists in `requests` what a page asks it for."""

    def __enter__(self):
        self.requests = requests = []

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                line = self.rfile.readline().decode('latin-1')
                if 'google' not in line:            # the browser's own calls
                    requests.append(line)

        self._server = socketserver.ThreadingTCPServer(('127.0.0.1', 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    @property
    def address(self):
        """Where it listens."""
        return '{}:{}'.format(*self._server.server_address)


def browse(page, folder, width=1100, height=800, scheme='light'):
    """Open a page; return its elements as text, the picture of it, and what it has asked for."""
    path = folder / 'page.html'
    path.write_text(page, encoding='utf-8')
    picture = folder / f'{scheme}.png'
    with Proxy() as proxy:
        result = subprocess.run(
            [CHROMIUM, *OPTIONS, f'--user-data-dir={folder / "profile"}',
             f'--window-size={width},{height}', f'--proxy-server={proxy.address}',
             f'--blink-settings=preferredColorScheme={SCHEMES[scheme]}',
             f'--screenshot={picture}', path.as_uri()],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            check=True, timeout=SECONDS)
    return result.stdout.decode(), Picture(picture.read_bytes()), proxy.requests


class Picture:
    """The pixels of a PNG file with 8 bits a channel, not interlaced."""

    def __init__(self, data):
        chunks = {}
        place = 8
        while place < len(data):
            size, kind = struct.unpack_from('>I4s', data, place)
            chunks[kind] = chunks.get(kind, b'') + data[place + 8:place + 8 + size]
            place += size + 12
        self.width, self.height, bits, kind = struct.unpack_from('>IIBB', chunks[b'IHDR'])
        assert (bits, chunks[b'IHDR'][12]) == (8, 0)
        self._size = {2: 3, 6: 4}[kind]
        self._data = zlib.decompress(chunks[b'IDAT'])
        self._rows = []

    def brightness(self, x, y):
        """Return how bright a pixel is, from 0 to 255; they count from 0."""
        while len(self._rows) <= y:
            self._rows.append(self._row(len(self._rows)))
        return sum(self._rows[int(y)][int(x) * self._size:][:3]) // 3

    def _row(self, number):
        """Return a row of bytes, from the differences to its neighbours that the file holds."""
        size, length = self._size, self.width * self._size
        start = number * (length + 1)
        method, row = self._data[start], bytearray(self._data[start + 1:start + 1 + length])
        above = self._rows[-1] if number else bytes(length)
        for i in range(length) if method else ():
            left, corner = (row[i - size], above[i - size]) if i >= size else (0, 0)
            if method == 4:
                aim = left + above[i] - corner
                near = min((abs(aim - byte), rank, byte)
                           for rank, byte in enumerate((left, above[i], corner)))[2]
            else:
                near = (0, left, above[i], (left + above[i]) // 2)[method]
            row[i] = row[i] + near & 255
        return row
