"""On a real terminal a live line with the time left appears, fits its width and is wiped away."""

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
import unittest

from support import COUNTS, PAPER, PROGRAM, Case, environment

ROWS, COPIES = 500_000, 24


class Terminal(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        holder = Case()
        holder.setUp()
        cls.addClassCleanup(holder.doCleanups)
        holder.write("m.json", PAPER)
        cls.data = str(holder.dir / "x.csv")
        holder.write("x.csv", holder.run_program("sample", "m.json", "-n", ROWS).out)

    def on_terminal(self, columns, *flags, files=COPIES, **extra):
        """What a terminal of this width receives."""
        args = [PROGRAM, "fit", *[self.data] * files, *COUNTS, "-k", "4", "--keep", "1M", *flags]
        child, screen = pty.fork()
        if child == 0:
            size = struct.pack("HHHH", 24, columns, 0, 0)
            fcntl.ioctl(2, termios.TIOCSWINSZ, size)
            os.execve(PROGRAM, args, environment(TERM="xterm", **extra))
        text, end = b"", time.monotonic() + 60
        while time.monotonic() < end:
            if select.select([screen], [], [], 1)[0]:
                try:
                    text += os.read(screen, 65536)
                except OSError:
                    break
        os.close(screen)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        return text.decode()

    @staticmethod
    def live(text):
        return re.findall(r"\r\x1b\[K([^\r\n\x1b]+)(?=\r\x1b)", text)

    def test_live_line(self):
        text = self.on_terminal(80)
        lines = self.live(text)
        self.assertTrue(lines, "a job of more than a second has a live line")
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
        lines = self.live(self.on_terminal(30))
        self.assertTrue(lines)
        for line in lines:
            self.assertLess(len(line), 30)

    def test_no_color(self):
        text = self.on_terminal(80, files=1, NO_COLOR="1")
        self.assertNotRegex(text, r"\x1b\[[\d;]*m")

    def test_never_and_quiet(self):
        self.assertNotIn("\x1b", self.on_terminal(80, "--progress", "never"))
        self.assertEqual(self.on_terminal(80, "--quiet", files=2), "")


if __name__ == "__main__":
    unittest.main()
