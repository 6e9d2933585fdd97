"""Claims about how kernel events become requests. The lines are as Linux 6.1 and 6.18 print them."""

import unittest

from block_events import BadEvent, Matcher


def event(microseconds, name, rest, task="postgres", pid=42):
    return f"  {task}-{pid}   [001] ..s1. {microseconds / 1e6:.6f}: {name}: {rest}\n"


def requests(*lines):
    matcher = Matcher()
    for line in lines:
        matcher.feed(line)
    return matcher.finish(), matcher.tally


class Matching(unittest.TestCase):
    def test_a_read_lasts_from_its_queueing_to_its_completion(self):
        served, _ = requests(
            event(1_000_000, "block_bio_queue", "7,0 RA 2048 + 16 [postgres]"),
            event(1_000_003, "block_rq_insert", "7,0 RA 8192 () 2048 + 16 be,0,4 [postgres]"),
            event(1_000_009, "block_rq_issue", "7,0 RA 8192 () 2048 + 16 be,0,4 [kworker/0:1H]", "kworker/0:1H", 7),
            event(1_000_200, "block_rq_complete", "7,0 RA () 2048 + 16 be,0,4 [0]", "<idle>", 0),
        )
        (read,) = served
        self.assertEqual((read.direction, read.address, read.blocks), ("read", 2048, 16))
        self.assertEqual((read.arrival, read.issue, read.completion), (1_000_003, 1_000_009, 1_000_200))
        self.assertEqual((read.process, read.task, read.synchronous), (42, "postgres", True))

    def test_the_form_of_older_kernels_without_priority_is_read_too(self):
        served, _ = requests(
            event(5, "block_rq_issue", "254,0 WS 4096 () 8 + 8 [jbd2/vda-8]"),
            event(9, "block_rq_complete", "254,0 WS () 8 + 8 [0]"),
        )
        self.assertEqual([(r.direction, r.synchronous, r.completion) for r in served], [("write", True, 9)])

    def test_merged_bios_are_one_request_and_a_split_bio_is_two(self):
        served, _ = requests(
            event(1, "block_bio_queue", "7,0 W 0 + 8 [a]", "a", 1),
            event(2, "block_bio_queue", "7,0 W 8 + 8 [b]", "b", 2),
            event(3, "block_rq_insert", "7,0 W 8192 () 0 + 16 be,0,4 [a]", "a", 1),
            event(4, "block_rq_issue", "7,0 W 8192 () 0 + 16 be,0,4 [a]", "a", 1),
            event(5, "block_bio_queue", "7,0 W 100 + 20 [c]", "c", 3),
            event(6, "block_rq_issue", "7,0 W 5120 () 100 + 10 be,0,4 [k]", "k", 9),
            event(7, "block_rq_issue", "7,0 W 5120 () 110 + 10 be,0,4 [k]", "k", 9),
            event(8, "block_rq_complete", "7,0 W () 0 + 16 be,0,4 [0]"),
            event(9, "block_rq_complete", "7,0 W () 110 + 10 be,0,4 [0]"),
            event(9, "block_rq_complete", "7,0 W () 100 + 10 be,0,4 [0]"),
        )
        self.assertEqual([(r.address, r.blocks, r.task) for r in served], [(0, 16, "a"), (100, 10, "c"), (110, 10, "c")])
        self.assertFalse(any(r.synchronous for r in served))

    def test_a_commit_block_is_a_flush_a_write_and_a_flush_of_the_process_that_asked(self):
        journal = ("jbd2/loop0-8", 10)
        served, tally = requests(
            event(1, "block_bio_queue", "7,0 FWFSM 816 + 8 [jbd2/loop0-8]", *journal),
            event(2, "block_rq_issue", "7,0 FF 0 () 0 + 0 none,0,0 [kworker/1:1H]", "kworker/1:1H", 44),
            event(3, "block_rq_complete", "7,0 FF () 18446744073709551615 + 0 none,0,0 [0]", "<idle>", 0),
            event(4, "block_rq_insert", "7,0 WSM 4096 () 816 + 8 be,0,3 [kworker/1:1H]", "kworker/1:1H", 44),
            event(5, "block_rq_issue", "7,0 WSM 4096 () 816 + 8 be,0,3 [kworker/1:1H]", "kworker/1:1H", 44),
            event(6, "block_rq_complete", "7,0 WSM () 816 + 8 be,0,3 [0]", "<idle>", 0),
            event(7, "block_rq_issue", "7,0 FF 0 () 0 + 0 none,0,0 [kworker/1:1H]", "kworker/1:1H", 44),
            event(8, "block_rq_complete", "7,0 FF () 18446744073709551615 + 0 none,0,0 [0]", "<idle>", 0),
            event(8, "block_rq_complete", "7,0 WSM () 816 + 0 be,0,3 [0]", "<idle>", 0),
        )
        self.assertEqual([r.direction for r in served], ["flush", "write", "flush"])
        self.assertEqual({r.process for r in served}, {10})
        self.assertEqual((tally.unmatched_completions, tally.unfinished), (0, 0))

    def test_forced_unit_access_that_the_device_has_itself_is_kept_as_a_flag(self):
        served, _ = requests(
            event(1, "block_bio_queue", "8,0 WFS 816 + 8 [x]"),
            event(5, "block_rq_issue", "8,0 WFS 4096 () 816 + 8 be,0,3 [x]"),
            event(6, "block_rq_complete", "8,0 WFS () 816 + 8 be,0,3 [0]"),
        )
        self.assertEqual([(r.direction, r.force_unit_access) for r in served], [("write", True)])

    def test_a_request_served_in_two_parts_ends_with_the_second(self):
        served, _ = requests(
            event(1, "block_rq_issue", "8,0 R 8192 () 0 + 16 [x]"),
            event(5, "block_rq_complete", "8,0 R () 0 + 8 [0]"),
            event(9, "block_rq_complete", "8,0 R () 8 + 8 [0]"),
        )
        self.assertEqual([r.completion for r in served], [9])

    def test_what_is_lost_unfinished_failed_or_of_no_interest_is_counted(self):
        served, tally = requests(
            "CPU:1 [LOST 17 EVENTS]\n",
            event(1, "block_rq_issue", "8,0 D 4096 () 0 + 8 [x]"),
            event(2, "block_rq_issue", "8,0 R 4096 () 0 + 8 [x]"),
            event(3, "block_rq_complete", "8,0 R () 64 + 8 [0]"),
            event(4, "block_rq_issue", "8,0 R 4096 () 32 + 8 [x]"),
            event(5, "block_rq_complete", "8,0 R () 32 + 8 [-5]"),
        )
        self.assertEqual(len(served), 1)
        self.assertEqual((tally.lost, tally.unfinished, tally.unmatched_completions), (17, 1, 1))
        self.assertEqual((tally.failed, tally.other_commands), (1, 1))

    def test_a_task_name_with_blanks_dashes_and_brackets_is_no_trouble(self):
        served, _ = requests(
            event(1, "block_rq_issue", "8,0 R 4096 () 0 + 8 [my [odd] - x]", "my [odd] - x", 5),
            event(2, "block_rq_complete", "8,0 R () 0 + 8 [0]"),
        )
        self.assertEqual([(r.process, r.task) for r in served], [(5, "my [odd] - x")])

    def test_a_line_that_is_no_event_is_refused(self):
        with self.assertRaises(BadEvent):
            Matcher().feed("hello\n")
        with self.assertRaises(BadEvent):
            Matcher().feed(event(1, "block_rq_issue", "in a form of the year 2040"))


if __name__ == "__main__":
    unittest.main()
