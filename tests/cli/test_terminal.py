"""On a real terminal a live line with the time left appears, fits its width and is wiped away."""

import fcntl
import os
import pty
import re
import select
import struct
import termios
import unittest

from support import COUNTS, PROGRAM, Case, csv, environment, poisson_rows

ROWS = 200_000  # what the fit waits for; the test feeds them
PORTION = csv("y", poisson_rows(500)).partition("\n")[2].encode()


def unread(pipe):
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]


class Terminal(Case):
    """The fit reads a pipe and knows by --limit how much is to come. A live line is drawn when a fit has lasted for a second: a
    portion of rows follows when the last one was taken, until there are enough such lines, and then the rest at once."""

    def on_terminal(self, columns, *flags, live_lines=0, **extra):
        """What a terminal of this width receives."""
        pipe = self.dir / "pipe"
        pipe.unlink(missing_ok=True)
        os.mkfifo(pipe)
        args = [PROGRAM, "fit", str(pipe), "--limit", str(ROWS), *COUNTS, "-k", "4", "--keep", "100K", *flags]
        child, self.screen = pty.fork()
        if child == 0:
            size = struct.pack("HHHH", 24, columns, 0, 0)
            fcntl.ioctl(2, termios.TIOCSWINSZ, size)
            try:
                os.execve(PROGRAM, args, environment(TERM="xterm", **extra))
            finally:
                os._exit(127)
        self.text = b""
        with open(pipe, "wb", buffering=0) as feed:  # which waits until the program has opened its end
            feed.write(b"y\n" + PORTION)
            fed = 500
            while len(self.live(self.text.decode())) < live_lines:
                self.assertLess(fed, ROWS, "no live line")
                if unread(feed) == 0:
                    feed.write(PORTION)
                    fed += 500
                self.look(0.1)
            os.set_blocking(feed.fileno(), False)
            rest = memoryview(PORTION * ((ROWS - fed) // 500))
            while rest:
                _, room, _ = select.select([], [feed], [], 0.1)
                if room:
                    rest = rest[feed.write(rest):]
                self.look(0)
        while self.look(None):
            pass
        os.close(self.screen)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        return self.text.decode()

    def look(self, seconds):
        """Takes what the terminal received; false when it was closed."""
        if select.select([self.screen], [], [], seconds)[0]:
            try:
                self.text += os.read(self.screen, 65536)
            except OSError:
                return False
        return True

    @staticmethod
    def live(text):
        return re.findall(r"\r\x1b\[K([^\r\n\x1b]+)(?=\r\x1b)", text)

    def test_live_line(self):
        text = self.on_terminal(80, live_lines=3)
        lines = self.live(text)
        for line in lines:
            self.assertLess(len(line), 80)
            self.assertRegex(line, r"\d+:\d\d left, \d+ %.*rows/s")
        shares = [int(re.search(r"(\d+) %", line)[1]) for line in lines]
        self.assertEqual(shares, sorted(shares))
        self.assertLessEqual(shares[-1], 100)
        # It is wiped before the summary, and the table stays.
        self.assertNotIn("left", text.split("starts, ")[1])
        self.assertIn("since last", text)

    def test_narrow(self):
        for line in self.live(self.on_terminal(30, live_lines=2)):
            self.assertLess(len(line), 30)

    def test_no_color(self):
        self.assertNotRegex(self.on_terminal(80, live_lines=1, NO_COLOR="1"), r"\x1b\[[\d;]*m")

    def test_never_and_quiet(self):
        self.assertNotIn("\x1b", self.on_terminal(80, "--progress", "never"))
        self.assertRegex(self.on_terminal(80, "--quiet"), r"\A(warning: [^\r\n]*\r\n)*\Z")


if __name__ == "__main__":
    unittest.main()
