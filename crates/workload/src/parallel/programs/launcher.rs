//! What stands before a program in a job script: how many ranks a launcher starts, and on which hosts.
//!
//! Sources: mpirun(1) of Open MPI and of MPICH (Hydra), srun(1) of Slurm, aprun(1) of ALPS, jsrun(1) of JSM. Words of other
//! matters (binding to cores, environments, outputs) change nothing here.

use super::command_line::{number, refuse};
use crate::program::ProgramError;
use petrio_units::numbers::as_number;
use std::collections::BTreeMap;

/// What a launcher was told, as far as it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// How many ranks it starts.
    pub ranks: Option<u32>,
    /// On how many hosts.
    pub hosts: Option<u32>,
    /// How many of them on a host, which it fills before the next one.
    pub on_a_host: Option<u32>,
    /// Whether it deals them out to the hosts in turn.
    pub in_turn: bool,
}

/// What a word of a launcher counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    Ranks,
    Hosts,
    OnAHost,
    /// Resource sets, each with ranks of its own, and those on a host.
    Sets,
    InASet,
    SetsOnAHost,
}

/// The launchers of one family, and their words that count.
struct Family {
    names: &'static [&'static str],
    counts: &'static [(&'static str, Count)],
    /// Words whose value says how ranks lie.
    layouts: &'static [&'static str],
    /// Words, and values of those, that deal ranks out in turn.
    in_turn: &'static [&'static str],
}

const FAMILIES: [Family; 4] = [
    Family {
        names: &["mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prterun"],
        counts: &[
            ("-np", Count::Ranks),
            ("--np", Count::Ranks),
            ("-n", Count::Ranks),
            ("--n", Count::Ranks),
            ("-c", Count::Ranks),
            ("-N", Count::OnAHost),
            ("-npernode", Count::OnAHost),
            ("--npernode", Count::OnAHost),
            ("-ppn", Count::OnAHost),
            ("--ppn", Count::OnAHost),
            ("-perhost", Count::OnAHost),
        ],
        layouts: &["--map-by", "-map-by", "--rank-by", "-rank-by"],
        in_turn: &["-bynode", "--bynode", "-rr", "node"],
    },
    Family {
        names: &["srun"],
        counts: &[
            ("-n", Count::Ranks),
            ("--ntasks", Count::Ranks),
            ("-N", Count::Hosts),
            ("--nodes", Count::Hosts),
            ("--ntasks-per-node", Count::OnAHost),
        ],
        layouts: &["-m", "--distribution"],
        in_turn: &["cyclic"],
    },
    Family {
        names: &["aprun"],
        counts: &[("-n", Count::Ranks), ("-N", Count::OnAHost)],
        layouts: &[],
        in_turn: &[],
    },
    Family {
        names: &["jsrun"],
        counts: &[
            ("-p", Count::Ranks),
            ("--np", Count::Ranks),
            ("-n", Count::Sets),
            ("--nrs", Count::Sets),
            ("-a", Count::InASet),
            ("--tasks_per_rs", Count::InASet),
            ("-r", Count::SetsOnAHost),
            ("--rs_per_host", Count::SetsOnAHost),
        ],
        layouts: &[],
        in_turn: &[],
    },
];

/// Layouts that are neither blocks nor turns.
const OTHER_LAYOUTS: [&str; 3] = ["plane", "arbitrary", "seq"];

/// Words that look like others and say nothing of how many ranks there are.
const OF_OTHER_MATTERS: [&str; 4] =
    ["--nodelist", "--ntasks-per-core", "--ntasks-per-socket", "--ntasks-per-gpu"];

/// The launchers that are known.
pub(super) fn names() -> String {
    FAMILIES.map(|family| family.names.join(", ")).join(", ")
}

impl Launch {
    /// What the words say that stand before the program, if the first of them is a launcher.
    pub(super) fn read(words: &[&str]) -> Option<Result<Self, ProgramError>> {
        let launcher = words.first()?.rsplit('/').next()?;
        let family = FAMILIES.iter().find(|family| family.names.contains(&launcher))?;
        Some(family.read(words))
    }

    /// Whether the ranks of a scenario, on these hosts, are those that it starts. Where all are on one host it may be that nothing
    /// is known of the others.
    pub(super) fn check(&self, hosts: &[u32]) -> Result<(), ProgramError> {
        let ranks = as_number(hosts.len());
        if let Some(launched) = self.ranks.filter(|launched| *launched != ranks) {
            return refuse(format!("it starts {launched} ranks, and `ranks` says {ranks}"));
        }
        let mut on_each = BTreeMap::<u32, u32>::new();
        hosts.iter().for_each(|host| *on_each.entry(*host).or_default() += 1);
        let (there, most) = (as_number(on_each.len()), on_each.values().copied().max().unwrap_or_default());
        if there < 2 {
            return Ok(());
        }
        if let Some(wanted) = self.hosts.filter(|wanted| *wanted != there) {
            return refuse(format!("it uses {wanted} hosts, and `on` has the ranks on {there}"));
        }
        if let Some(wanted) = self.on_a_host.filter(|wanted| *wanted != most && *wanted < ranks) {
            return refuse(format!("it puts {wanted} ranks on a host, and `on` up to {most}"));
        }
        let in_blocks = hosts.windows(2).any(|pair| pair[0] == pair[1]);
        if self.in_turn && in_blocks && ranks > there {
            return refuse(
                "it deals ranks out to the hosts in turn, and here they lie in blocks, the first ones on the first host: leave that \
                 out, or compare with care",
            );
        }
        Ok(())
    }
}

impl Family {
    fn read(&self, words: &[&str]) -> Result<Launch, ProgramError> {
        let mut launch = Launch::default();
        let (mut sets, mut in_a_set, mut sets_on_a_host) = (None, 1, None);
        for (at, word) in words.iter().enumerate().skip(1) {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (*word, words.get(at + 1).copied()),
            };
            self.check_spelling(name)?;
            launch.in_turn |= self.in_turn.contains(&name) && name.starts_with('-');
            if self.layouts.contains(&name) {
                self.lay(&mut launch, value.unwrap_or_default())?;
            }
            let Some((count, option, value)) = self.counted(name, value) else { continue };
            let value = number(option, value)?;
            match count {
                Count::Ranks => launch.ranks = Some(value),
                Count::Hosts => launch.hosts = Some(value),
                Count::OnAHost => launch.on_a_host = Some(value),
                Count::Sets => sets = Some(value),
                Count::InASet => in_a_set = value,
                Count::SetsOnAHost => sets_on_a_host = Some(value),
            }
        }
        if let Some(sets) = sets_on_a_host {
            launch.on_a_host = Some(u32::saturating_mul(sets, in_a_set));
        }
        let by_sets = sets.map(|sets| u32::saturating_mul(sets, in_a_set));
        // Who says how many hosts alone has one rank on each.
        let by_hosts = launch.hosts.map(|hosts| hosts.saturating_mul(launch.on_a_host.unwrap_or(1)));
        launch.ranks = launch.ranks.or(by_sets).or(by_hosts);
        Ok(launch)
    }

    /// A long word that counts nothing, and is nearly one that does, was hardly meant to be another.
    fn check_spelling(&self, word: &str) -> Result<(), ProgramError> {
        let all = self.counts.iter().map(|(name, _)| *name).chain(self.layouts.iter().copied());
        let known = all.chain(self.in_turn.iter().copied()).filter(|known| known.len() > 3);
        if word.len() < 5 || !word.starts_with('-') || known.clone().any(|known| known == word) {
            return Ok(());
        }
        match petrio_units::nearest(word, known) {
            Some(near) if !OF_OTHER_MATTERS.contains(&word) => {
                refuse(format!("{word} is no option of a launcher that is known here; did you mean {near}?"))
            }
            _ => Ok(()),
        }
    }

    /// What a word counts, which may have its value behind it at once (-n4).
    fn counted<'text>(
        &self,
        word: &'text str,
        next: Option<&'text str>,
    ) -> Option<(Count, &'static str, &'text str)> {
        let named = |name: &str| self.counts.iter().find(|(known, _)| *known == name);
        if let Some(&(name, count)) = named(word) {
            return Some((count, name, next.unwrap_or_default()));
        }
        let (letter, digits) = word.split_at_checked(2)?;
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let &(name, count) = named(letter).filter(|_| is_number)?;
        Some((count, name, digits))
    }

    /// How ranks lie: "node", "ppr:2:node", "cyclic:block".
    fn lay(&self, launch: &mut Launch, value: &str) -> Result<(), ProgramError> {
        let mut words = value.split([':', ',']);
        let first = words.next().unwrap_or_default();
        if let Some(layout) = OTHER_LAYOUTS.iter().find(|layout| first.starts_with(**layout)) {
            return refuse(format!(
                "ranks that are laid out by \"{layout}\" can't be followed: here they lie in blocks, the first ones on the first host"
            ));
        }
        launch.in_turn |= self.in_turn.contains(&first);
        if let ("ppr", Some(count), Some("node")) = (first, words.next(), words.next()) {
            launch.on_a_host = Some(number("ppr", count)?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(text: &str) -> Launch {
        Launch::read(&text.split_whitespace().collect::<Vec<_>>()).unwrap().unwrap()
    }

    #[test]
    fn launchers_say_how_many_ranks_they_start_and_where() {
        let of = |ranks, hosts, on_a_host, in_turn| Launch { ranks, hosts, on_a_host, in_turn };
        for (text, launch) in [
            ("mpirun", of(None, None, None, false)),
            ("mpirun -np 4 --bind-to core", of(Some(4), None, None, false)),
            ("mpirun -n 8 --map-by node", of(Some(8), None, None, true)),
            ("mpirun -n 8 --map-by ppr:2:node", of(Some(8), None, Some(2), false)),
            ("mpirun -n 8 --map-by=slot:PE=2", of(Some(8), None, None, false)),
            ("mpirun -n 8 -npernode 4", of(Some(8), None, Some(4), false)),
            ("/opt/mpich/bin/mpiexec.hydra -n 8 -ppn 4", of(Some(8), None, Some(4), false)),
            ("srun -n 8 -c 4", of(Some(8), None, None, false)),
            ("srun -N2 --ntasks-per-node=2", of(Some(4), Some(2), Some(2), false)),
            ("srun -N 4", of(Some(4), Some(4), None, false)),
            ("srun -n8 -N 4 -m cyclic:block", of(Some(8), Some(4), None, true)),
            ("aprun -n 16 -N 8", of(Some(16), None, Some(8), false)),
            ("jsrun -n 4 -a 2 -c 2", of(Some(8), None, None, false)),
            ("jsrun --nrs 4 --rs_per_host 2 --tasks_per_rs 3", of(Some(12), None, Some(6), false)),
            ("jsrun -p 6", of(Some(6), None, None, false)),
        ] {
            assert_eq!(read(text), launch, "{text}");
        }
        assert!(Launch::read(&["sudo"]).is_none());
        for (text, words) in [
            ("mpirun -np many", "no whole number"),
            ("mpirun -np 8 --map-byy node", "did you mean --map-by?"),
            ("srun -n 8 --ntask-per-node=4", "did you mean --ntasks-per-node?"),
            ("srun -n 8 -m plane=4", "laid out by \"plane\""),
        ] {
            let problem =
                Launch::read(&text.split(' ').collect::<Vec<_>>()).unwrap().unwrap_err().to_string();
            assert!(problem.contains(words), "{text}: {problem}");
        }
        // Other matters change nothing, whatever they are called.
        for text in [
            "mpirun -np 8 --mca btl tcp --bind-to core",
            "srun -n 8 --nodelist=a,b --mem-per-cpu=1G --exclusive",
        ] {
            assert_eq!(read(text).ranks, Some(8), "{text}");
        }
    }

    #[test]
    fn a_launcher_that_starts_others_than_there_are_is_refused() {
        for (text, hosts, words) in [
            ("mpirun -np 4", &[0, 0, 1, 1, 2, 2, 3, 3][..], "starts 4 ranks, and `ranks` says 8"),
            ("srun -N2 --ntasks-per-node=2", &[0; 8], "starts 4 ranks"),
            ("srun -n 4 -N 4", &[0, 0, 1, 1], "uses 4 hosts, and `on` has the ranks on 2"),
            ("mpirun -n 4 -ppn 1", &[0, 0, 1, 1], "puts 1 ranks on a host, and `on` up to 2"),
            ("mpirun -n 4 --map-by node", &[0, 0, 1, 1], "in turn"),
        ] {
            let problem = read(text).check(hosts).unwrap_err().to_string();
            assert!(problem.contains(words), "{text}: {problem}");
        }
        for (text, hosts) in [
            ("mpirun", &[0, 1][..]),
            ("mpirun -n 4 -ppn 2", &[0, 0, 1, 1]),
            ("mpirun -n 4 -ppn 8", &[0, 0, 1, 1]),
            ("mpirun -n 2 --map-by node", &[0, 1]),
            ("mpirun -n 4 --map-by node", &[0, 1, 0, 1]),
            // Of one host nothing can be said before it is placed.
            ("srun -N2 --ntasks-per-node=2", &[0; 4]),
        ] {
            assert!(read(text).check(hosts).is_ok(), "{text}");
        }
    }
}
