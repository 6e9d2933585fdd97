//! The users of a specification, ready to draw from: types with what is left out filled in, and which user is of which
//! type.

use super::calls::Chain;
use super::rows::Rows;
use super::specification::{Use, UserPhase, UserSpecification, UserType};
use crate::namespace::{FileKind, Order, PlanError, Purpose};
use petrio_distribution::{Distribution, Draw, RankCorrelated};
use petrio_random::Generator;
use petrio_time::Time;
use petrio_units::numbers::as_number;
use petrio_units::{Bytes, Measurable};

/// Most users.
pub const USERS_MAX: u32 = 1 << 16;
/// Most sessions or files at once, of a user.
const AT_ONCE_MAX: u32 = 1 << 10;
/// Hours of a day.
pub(super) const HOURS: usize = 24;

/// All users.
#[derive(Debug)]
pub(super) struct Population {
    pub(super) types: Vec<Type>,
    /// Each user's type.
    pub(super) of_user: Vec<usize>,
}

/// A type of users.
#[derive(Debug)]
pub(super) struct Type {
    pub(super) name: String,
    pub(super) share: f64,
    /// Computing after a call that moves data.
    pub(super) compute: Option<Distribution>,
    /// After a call that moves data; nothing where `calls` says pauses.
    pub(super) think: Distribution,
    pub(super) access: Distribution,
    /// Of writes, where they differ.
    pub(super) write_access: Option<Distribution>,
    /// Of an access' size with that before in the same file.
    pub(super) access_correlation: f64,
    pub(super) calls: Option<Chain>,
    pub(super) pause: Option<Distribution>,
    pub(super) sessions_at_once: u32,
    pub(super) open_files: u32,
    /// How busy in each hour; all of them 1 where nothing is said.
    pub(super) hours: [f64; HOURS],
    pub(super) phases: Vec<Phase>,
    /// The kinds of sessions; one, where nothing is said.
    pub(super) sessions: Vec<Kind>,
    /// The uses of all kinds.
    pub(super) uses: Vec<UseOf>,
}

/// A kind of sessions.
#[derive(Debug)]
pub(super) struct Kind {
    /// The part of all sessions that are of it or of one before it.
    pub(super) until: f64,
    pub(super) share: f64,
    pub(super) looks: Option<Distribution>,
    pub(super) syncs: Option<Distribution>,
    /// Its uses, among those of the type.
    pub(super) uses: std::ops::Range<usize>,
}

/// What users are at for a while.
#[derive(Debug)]
pub(super) struct Phase {
    pub(super) compute: Option<Distribution>,
    pub(super) think: Option<Distribution>,
    pub(super) access: Option<Distribution>,
    /// What pauses are multiplied by.
    pub(super) pace: f64,
    pub(super) lasts: Distribution,
    /// Cumulative probabilities of the phases that may follow.
    pub(super) next: Vec<f64>,
}

/// How a type uses a category.
#[derive(Debug)]
pub(super) struct UseOf {
    /// The category, by its position.
    pub(super) category: u32,
    pub(super) name: String,
    /// The name, with that of the kind of session where there are several.
    pub(super) label: String,
    pub(super) owner: String,
    pub(super) kind: FileKind,
    pub(super) purpose: Purpose,
    pub(super) order: Order,
    pub(super) share: f64,
    pub(super) files: Distribution,
    pub(super) what: What,
}

/// How large the files of a use are, and how much of them is accessed.
#[derive(Debug)]
pub(super) enum What {
    /// Each drawn by itself.
    Apart(Distribution, Distribution),
    /// Drawn together, by their rank correlation.
    Correlated(RankCorrelated),
    /// Files as they were used.
    Rows(Rows),
}

impl What {
    /// A size, and how often each of its bytes is accessed; of files that are drawn one by one.
    pub(super) fn sample(&self, random: &mut Generator) -> [f64; 2] {
        let mut drawn = [0.0; 2];
        match self {
            Self::Apart(size, accesses) => drawn = [size.sample(random), accesses.sample(random)],
            Self::Correlated(joint) => joint.sample_into(random, &mut drawn),
            Self::Rows(_) => {}
        }
        drawn
    }

    /// Bytes accessed of a file, at the mean.
    pub(super) fn mean_accessed(&self) -> f64 {
        match self {
            Self::Apart(size, accesses) => size.mean() * accesses.mean(),
            Self::Correlated(joint) => joint.mean_of_product(),
            Self::Rows(rows) => rows.mean_accessed(),
        }
    }
}

impl UseOf {
    /// Files of it in a session of its kind, at the mean.
    pub(super) fn mean_files(&self) -> f64 {
        self.share * self.files.mean()
    }
}

impl Population {
    pub(super) fn of(specification: &UserSpecification, users: u32) -> Result<Self, PlanError> {
        if users == 0 || users > USERS_MAX {
            return Err(PlanError::new("users", format!("between 1 and {USERS_MAX} users, not {users}")));
        }
        let mut types = Vec::new();
        for name in specification.user.keys() {
            types.push(type_of(specification, name)?);
        }
        if types.is_empty() {
            return Err(PlanError::new(
                "user",
                "there is no type of users: only files are described; petrio users learn makes types of a trace",
            ));
        }
        let whole: f64 = types.iter().map(|kind| kind.share).sum();
        if !(whole.is_finite() && whole > 0.0) || types.iter().any(|kind| kind.share < 0.0) {
            return Err(PlanError::new(
                "user",
                "the shares of the types of users must be 0 or more, and not all 0",
            ));
        }
        // Each user is of the type of which there are too few, so that nobody changes when more users come.
        let mut given = vec![0.0; types.len()];
        let of_user = (0..users)
            .map(|user| {
                let lacks = |at: usize| types[at].share / whole * f64::from(user + 1) - given[at];
                let most =
                    (0..types.len()).fold(0, |most, at| if lacks(at) > lacks(most) { at } else { most });
                given[most] += 1.0;
                most
            })
            .collect();
        Ok(Self { types, of_user })
    }

    /// Has all accesses drawn, also those of files that are used as others were.
    pub(super) fn draw_accesses(&mut self) {
        for used in self.types.iter_mut().flat_map(|kind| &mut kind.uses) {
            if let What::Rows(rows) = &used.what {
                used.what = What::Rows(rows.clone().drawing_accesses());
            }
        }
    }
}

/// A type as it is written, with what those that it is like have.
fn filled_in(specification: &UserSpecification, name: &str) -> Result<UserType, PlanError> {
    let mut whole = UserType::default();
    let mut at = name;
    for _ in 0..=specification.user.len() {
        let Some(written) = specification.user.get(at) else {
            let known: Vec<&str> = specification.user.keys().map(String::as_str).collect();
            let problem = format!("there is no type \"{at}\"; there are {}", known.join(", "));
            return Err(PlanError::new(format!("user.{name}.like"), problem));
        };
        whole.share = whole.share.or(if at == name { written.share } else { None });
        whole.compute = whole.compute.or_else(|| written.compute.clone());
        whole.think = whole.think.or_else(|| written.think.clone());
        whole.access = whole.access.or_else(|| written.access.clone());
        whole.write_access = whole.write_access.or_else(|| written.write_access.clone());
        whole.pause = whole.pause.or_else(|| written.pause.clone());
        whole.sessions_at_once = whole.sessions_at_once.or(written.sessions_at_once);
        whole.open_files = whole.open_files.or(written.open_files);
        whole.hours = whole.hours.or_else(|| written.hours.clone());
        whole.access_correlation = whole.access_correlation.or(written.access_correlation);
        whole.calls = whole.calls.or_else(|| written.calls.clone());
        if whole.session.is_empty() {
            whole.session = written.session.clone();
        }
        if whole.phase.is_empty() {
            whole.phase = written.phase.clone();
        }
        for (category, used) in &written.uses {
            if !whole.uses.contains_key(category) {
                whole.uses.insert(category.clone(), used.clone());
            }
        }
        match &written.like {
            Some(like) => at = like,
            None => return Ok(whole),
        }
    }
    Err(PlanError::new(
        format!("user.{name}.like"),
        "types that are like each other have nothing of their own",
    ))
}

fn type_of(specification: &UserSpecification, name: &str) -> Result<Type, PlanError> {
    let written = filled_in(specification, name)?;
    let key = |key: &str| format!("user.{name}.{key}");
    let needed =
        |what: &str| PlanError::new(key(what), "is missing, and no type that this one is like has it");
    let at_once = |what: &str, number: Option<u32>| match number.unwrap_or(1) {
        0 => Err(PlanError::new(key(what), "at least 1")),
        number if number > AT_ONCE_MAX => Err(PlanError::new(key(what), format!("at most {AT_ONCE_MAX}"))),
        number => Ok(number),
    };
    let hours = match &written.hours {
        None => [1.0; HOURS],
        Some(list) => <[f64; HOURS]>::try_from(list.as_slice())
            .ok()
            .filter(|hours| hours.iter().all(|hour| hour.is_finite() && *hour >= 0.0))
            .filter(|hours| hours.iter().any(|hour| *hour > 0.0))
            .ok_or_else(|| {
                let problem = match list.len() {
                    HOURS => "each is 0 or more, and not all are 0".to_owned(),
                    other => format!("a day has {HOURS} hours, and there are {other} numbers"),
                };
                PlanError::new(key("hours"), problem)
            })?,
    };
    let mut phases = Vec::new();
    for (at, (phase, written_phase)) in written.phase.iter().enumerate() {
        let names: Vec<&str> = written.phase.keys().map(String::as_str).collect();
        phases.push(phase_of(written_phase, &key(&format!("phase.{phase}")), at, &names)?);
    }
    if !phases.is_empty() && phases.iter().all(|phase: &Phase| phase.lasts.quantile(1.0) <= 0.0) {
        return Err(PlanError::new(key("phase"), "no phase lasts any time"));
    }
    let calls = written.calls.as_ref().map(|calls| Chain::of(calls, &key("calls"))).transpose()?;
    let (sessions, uses) = sessions_of(specification, &written, name)?;
    let access_correlation = written.access_correlation.unwrap_or(0.0);
    if !(-1.0..=1.0).contains(&access_correlation) {
        let problem = format!("is {access_correlation}; a correlation is between -1 and 1");
        return Err(PlanError::new(key("access_correlation"), problem));
    }
    let draws = |used: &UseOf| !matches!(&used.what, What::Rows(rows) if !rows.draws_accesses());
    let own = format!("user.{name}");
    let access = match &written.access {
        Some(access) => access_law(access, &own)?,
        None if uses.iter().any(draws) => return Err(needed("access")),
        None => Distribution::constant(1.0),
    };
    let think = match &written.think {
        Some(think) => law(think, &own, "think")?,
        None if calls.is_none() => return Err(needed("think")),
        None => Distribution::constant(0.0),
    };
    Ok(Type {
        name: name.to_owned(),
        share: written.share.unwrap_or(1.0),
        compute: written.compute.as_ref().map(|compute| law(compute, &own, "compute")).transpose()?,
        think,
        access,
        write_access: written.write_access.as_ref().map(|access| access_law(access, &own)).transpose()?,
        access_correlation,
        calls,
        pause: written.pause.as_ref().map(|pause| law(pause, &own, "pause")).transpose()?,
        sessions_at_once: at_once("sessions_at_once", written.sessions_at_once)?,
        open_files: at_once("open_files", written.open_files)?,
        hours,
        phases,
        sessions,
        uses,
    })
}

fn law<Q: Measurable>(draw: &Draw<Q>, at: &str, key: &str) -> Result<Distribution, PlanError> {
    let law = draw.distribution().map_err(PlanError::of(format!("{at}.{key}")))?;
    // Less than nothing is drawn as nothing, which a normal distribution's tail may be; always, it is a mistake.
    if law.quantile(1.0) < 0.0 {
        return Err(PlanError::new(format!("{at}.{key}"), "is always below zero"));
    }
    Ok(law)
}

/// A law of bytes that a call moves: whole ones, and one at least, or a few megabytes would be millions of calls.
fn access_law(draw: &Draw<Bytes>, at: &str) -> Result<Distribution, PlanError> {
    let law = law(draw, at, "access")?;
    if law.mean() < 1.0 {
        return Err(PlanError::new(format!("{at}.access"), "is less than a byte at the mean"));
    }
    Ok(law)
}

/// Whether an order can be followed.
fn check_order(order: &Order, category: &str) -> Result<(), PlanError> {
    let (key, problem) = match order {
        Order::Strided(stride) if stride.get() == 0 => ("order.strided", "a stride is a byte at least"),
        Order::Indexed(index) if index.block.get() == 0 => {
            ("order.indexed.block", "a block is a byte at least")
        }
        Order::Indexed(index) if index.levels == 0 => {
            ("order.indexed.levels", "an index has a level at least")
        }
        _ => return Ok(()),
    };
    Err(PlanError::new(format!("category.{category}.{key}"), problem))
}

/// The kinds of sessions of a type, and the uses of all of them.
fn sessions_of(
    specification: &UserSpecification,
    written: &UserType,
    name: &str,
) -> Result<(Vec<Kind>, Vec<UseOf>), PlanError> {
    let own = format!("user.{name}");
    let mut uses = Vec::new();
    if written.session.is_empty() {
        for (category, used) in &written.uses {
            uses.push(use_of(specification, (category, used), &format!("{own}.uses.{category}"), None)?);
        }
        if uses.is_empty() {
            return Err(PlanError::new(format!("{own}.uses"), "this type of users uses no files"));
        }
        let kind = Kind { until: 1.0, share: 1.0, looks: None, syncs: None, uses: 0..uses.len() };
        return Ok((vec![kind], uses));
    }
    let whole: f64 = written.session.values().map(|kind| kind.share.unwrap_or(1.0)).sum();
    let (mut kinds, mut sum) = (Vec::new(), 0.0);
    for (kind_name, kind) in &written.session {
        let at = format!("{own}.session.{kind_name}");
        let share = kind.share.unwrap_or(1.0);
        if !(share >= 0.0 && whole.is_finite() && whole > 0.0) {
            return Err(PlanError::new(format!("{at}.share"), "shares must be 0 or more, and not all 0"));
        }
        if written.calls.is_none() && (kind.looks.is_some() || kind.syncs.is_some()) {
            let key = if kind.looks.is_some() { "looks" } else { "syncs" };
            let problem = "needs `calls` of its type, which say when they come";
            return Err(PlanError::new(format!("{at}.{key}"), problem));
        }
        let first = uses.len();
        for (category, used) in &kind.uses {
            let at = format!("{at}.uses.{category}");
            uses.push(use_of(specification, (category, used), &at, Some(kind_name))?);
        }
        for (category, used) in written.uses.iter().filter(|(category, _)| !kind.uses.contains_key(*category))
        {
            let at = format!("{own}.uses.{category}");
            uses.push(use_of(specification, (category, used), &at, Some(kind_name))?);
        }
        sum += share / whole;
        let counted =
            |draw: &Option<Draw<f64>>, key| draw.as_ref().map(|draw| law(draw, &at, key)).transpose();
        kinds.push(Kind {
            until: sum,
            share: share / whole,
            looks: counted(&kind.looks, "looks")?,
            syncs: counted(&kind.syncs, "syncs")?,
            uses: first..uses.len(),
        });
    }
    Ok((kinds, uses))
}

fn use_of(
    specification: &UserSpecification,
    (category, used): (&str, &Use),
    at: &str,
    kind: Option<&str>,
) -> Result<UseOf, PlanError> {
    let Some((number, _, there)) = specification.category.get_full(category) else {
        let known: Vec<&str> = specification.category.keys().map(String::as_str).collect();
        let problem = format!("there is no such category; there are {}", known.join(", "));
        return Err(PlanError::new(at, problem));
    };
    if there.kind == FileKind::Directory && there.purpose != Purpose::ReadOnly {
        return Err(PlanError::new(format!("category.{category}.use"), "directories are only read"));
    }
    check_order(&there.order, category)?;
    Ok(UseOf {
        category: as_number(number),
        name: category.to_owned(),
        label: kind.map_or_else(|| category.to_owned(), |kind| format!("{category}-{kind}")),
        owner: there.owner.clone(),
        kind: there.kind,
        purpose: there.purpose,
        order: there.order.clone(),
        share: used.share.get(),
        files: law(&used.files, at, "files")?,
        what: what_of(used, there.purpose, at)?,
    })
}

fn what_of(used: &Use, purpose: Purpose, at: &str) -> Result<What, PlanError> {
    let (size, accesses) = match (&used.size, &used.accesses, &used.together) {
        (None, None, Some(together)) if used.rank_correlation.is_none() => {
            return Ok(What::Rows(Rows::of(together, purpose.is_made(), &format!("{at}.together"))?));
        }
        (.., Some(_)) => {
            let problem = "stands instead of size, accesses and rank_correlation, and not beside them";
            return Err(PlanError::new(format!("{at}.together"), problem));
        }
        (Some(size), Some(accesses), None) => (law(size, at, "size")?, law(accesses, at, "accesses")?),
        (size, ..) => {
            let key = if size.is_none() { "size" } else { "accesses" };
            let problem =
                "is missing; files are used as size and accesses say, or as a list of files together";
            return Err(PlanError::new(format!("{at}.{key}"), problem));
        }
    };
    let Some(rho) = used.rank_correlation else { return Ok(What::Apart(size, accesses)) };
    if !(-1.0..=1.0).contains(&rho) {
        let problem = format!("is {rho}; a correlation is between -1 and 1");
        return Err(PlanError::new(format!("{at}.rank_correlation"), problem));
    }
    let joint = RankCorrelated::new(vec![size, accesses], &[vec![1.0, rho], vec![rho, 1.0]]);
    Ok(What::Correlated(joint.map_err(PlanError::of(format!("{at}.rank_correlation")))?))
}

fn phase_of(written: &UserPhase, at: &str, position: usize, names: &[&str]) -> Result<Phase, PlanError> {
    let mut next = vec![0.0; names.len()];
    if written.next.is_empty() {
        next[(position + 1) % names.len()] = 1.0;
    }
    for (name, probability) in &written.next {
        let Some(to) = names.iter().position(|there| there == name) else {
            let problem = format!("there is no phase \"{name}\"; there are {}", names.join(", "));
            return Err(PlanError::new(format!("{at}.next"), problem));
        };
        next[to] = *probability;
    }
    let whole: f64 = next.iter().sum();
    if next.iter().any(|probability| probability.is_nan() || *probability < 0.0) || (whole - 1.0).abs() > 1e-6
    {
        let problem =
            format!("the probabilities of what follows must be 0 or more and add up to 1, not to {whole}");
        return Err(PlanError::new(format!("{at}.next"), problem));
    }
    let mut sum = 0.0;
    for probability in &mut next {
        sum += *probability / whole;
        *probability = sum;
    }
    let pace = written.pace.unwrap_or(1.0);
    if !(pace.is_finite() && pace >= 0.0) {
        return Err(PlanError::new(format!("{at}.pace"), format!("is {pace}; 0 or more is meant")));
    }
    Ok(Phase {
        compute: written.compute.as_ref().map(|compute| law(compute, at, "compute")).transpose()?,
        think: written.think.as_ref().map(|think| law(think, at, "think")).transpose()?,
        access: written.access.as_ref().map(|access| access_law(access, at)).transpose()?,
        pace,
        lasts: law(&written.lasts, at, "lasts")?,
        next,
    })
}

/// A drawn number of seconds as a time; none below zero.
pub(super) fn time_of(seconds: f64) -> Time {
    Time::from_seconds(seconds.max(0.0))
}
