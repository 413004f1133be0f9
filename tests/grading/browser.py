"""Headless Chromium for the tests of pages: started once, and controlled through a pipe.

https://chromedevtools.github.io/devtools-protocol/ lists the commands.
"""

import base64
import fcntl
import json
import os
import select
import shutil
from contextlib import contextmanager

from running import SECONDS, started

CHROMIUM = shutil.which('chromium') or shutil.which('chromium-browser')
OPTIONS = (
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    '--hide-scrollbars',
    '--disable-dev-shm-usage',
    '--host-resolver-rules=MAP * ~NOTFOUND',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-extensions',
    '--disable-sync',
    '--remote-debugging-pipe',
)
INLET, OUTLET = 3, 4  # the descriptors of Chromium's input and output


@contextmanager
def chromium(folder):
    """Start Chromium without access to other machines; yield a page in it."""
    orders, writing = os.pipe()
    reading, answers = os.pipe()
    # Use higher descriptors, so that `connect` overwrites none before it has copied it.
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD, OUTLET + 1) for end in (orders, answers)]

    def connect():
        os.dup2(ends[0], INLET)
        os.dup2(ends[1], OUTLET)

    command = [CHROMIUM, *OPTIONS, f'--user-data-dir={folder / "profile"}', 'about:blank']
    with started(command, preexec_fn=connect, pass_fds=(INLET, OUTLET)) as process:
        for end in (orders, answers, *ends):
            os.close(end)
        try:
            yield Page(reading, writing)
        finally:
            os.close(reading)
            os.close(writing)  # this ends Chromium and all its processes
            process.communicate(timeout=SECONDS)


class Page:
    """A page in Chromium; `requests` are the addresses requested so far."""

    def __init__(self, reading, writing):
        self.requests = []
        self._reading, self._writing = reading, writing
        self._received = b''
        self._number = 0
        self._session = {}
        self._is_loaded = False
        target = self._call('Target.createTarget', url='about:blank')['targetId']
        session = self._call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        self._session = {'sessionId': session}
        self._call('Page.enable')
        self._call('Network.enable')

    def open(self, path, width, height, scheme='light'):
        """Open a file in a window, given its size in pixels and its color scheme."""
        self._call(
            'Emulation.setDeviceMetricsOverride',
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self._call(
            'Emulation.setEmulatedMedia',
            features=[{'name': 'prefers-color-scheme', 'value': scheme}],
        )
        self.requests.clear()
        self._is_loaded = False
        self._call('Page.navigate', url=path.as_uri())
        while not self._is_loaded:
            self._take(self._message())
        self.requests.remove(path.as_uri())

    def evaluate(self, expression):
        """Return the value of a JavaScript expression."""
        result = self._call('Runtime.evaluate', expression=expression, returnByValue=True)
        assert 'exceptionDetails' not in result, result
        return result['result']['value']

    def screenshot(self):
        """Return the visible part of the page as a PNG file."""
        return base64.b64decode(self._call('Page.captureScreenshot')['data'])

    def _call(self, method, **parameters):
        """Send a command to Chromium; return the result."""
        self._number += 1
        order = {'id': self._number, 'method': method, 'params': parameters, **self._session}
        os.write(self._writing, json.dumps(order).encode() + b'\0')
        while True:
            message = self._message()
            if message.get('id') == self._number:
                return message['result']
            self._take(message)

    def _take(self, event):
        """Record an event: a request, or the end of loading."""
        if event.get('method') == 'Network.requestWillBeSent':
            self.requests.append(event['params']['request']['url'])
        self._is_loaded |= event.get('method') == 'Page.loadEventFired'

    def _message(self):
        """Return Chromium's next message."""
        while b'\0' not in self._received:
            assert select.select([self._reading], [], [], SECONDS)[0], 'Chromium says nothing'
            piece = os.read(self._reading, 1 << 16)
            assert piece, 'Chromium has ended'
            self._received += piece
        message, _, self._received = self._received.partition(b'\0')
        return json.loads(message)
