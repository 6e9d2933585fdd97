//! A System's parts, each with what is known of its cost.

use crate::host::PlacedHost;
use crate::loaded::Loaded;
use crate::placed::PlacedDisk;
use crate::schema::Disk;
use petrio_colours::SECTOR_BYTES;
use petrio_models::cost::{Asked, Cost, PowerDraw};
use petrio_units::Money;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Sorts of parts, as reports name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    Drives,
    Servers,
    Adapters,
    Networks,
    Others,
}

impl Sort {
    pub(super) const ALL: [Self; 5] =
        [Self::Drives, Self::Servers, Self::Adapters, Self::Networks, Self::Others];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Drives => "drives",
            Self::Servers => "servers",
            Self::Adapters => "adapters",
            Self::Networks => "networks",
            Self::Others => "others",
        }
    }
}

/// One part, or several that are always together.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) sort: Sort,
    /// What it is called: "Seagate Exos X16 16TB".
    pub(super) name: String,
    /// How many.
    pub(super) count: u64,
    /// What one costs.
    pub(super) paid: Paid,
    /// What one draws.
    pub(super) power: Option<PowerDraw>,
    /// Where prices were taken from, where that is said.
    pub(super) said: Option<String>,
    /// Stages whose names begin like this say how busy it is.
    pub(super) stages: Option<String>,
    /// All its figures but what it costs: whether it is the same in another scenario.
    pub(super) figures: Arc<str>,
}

/// How one part is paid for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Paid {
    Bought(Money),
    /// A month's rent.
    Rented(Money),
    /// By what else there is, whose rent includes it.
    Included,
    /// Nobody knows; why, where there is a reason.
    Unknown(Option<String>),
}

impl Line {
    /// What the part is called where something of it isn't known, and why.
    pub(super) fn called(&self, why: Option<&str>) -> String {
        why.map_or_else(|| self.name.clone(), |why| format!("{} ({why})", self.name))
    }
}

/// A part by its cost.
fn line(sort: Sort, name: &str, cost: &Cost, asked: &Asked, figures: &impl Serialize) -> Line {
    let rent = cost.rent.as_ref().map(|rent| rent.a_month(asked));
    let paid = match (&cost.price, rent) {
        (Some(price), None) => Paid::Bought(price.amount),
        (Some(price), Some(Ok(month))) if month.amount() == 0.0 => Paid::Bought(price.amount),
        (Some(_), Some(_)) => Paid::Unknown(Some("it has a price and a rent; leave one out".to_owned())),
        (None, Some(Ok(month))) => Paid::Rented(month),
        (None, Some(Err(why))) => Paid::Unknown(Some(why)),
        (None, None) => Paid::Unknown(None),
    };
    let dated = |date: &Option<String>, source: &Option<String>| {
        let words: Vec<&str> = date.iter().chain(source).map(String::as_str).collect();
        if words.is_empty() { "as the scenario says".to_owned() } else { words.join(", ") }
    };
    let said = match (&paid, &cost.price, &cost.rent) {
        (Paid::Bought(price), Some(of), _) => {
            Some(format!("{name}: {price} ({})", dated(&of.date, &of.source)))
        }
        (Paid::Rented(month), _, Some(of)) => Some(format!(
            "{name}: {} {} a month ({})",
            rounded(month.amount()),
            month.currency(),
            dated(&of.date, &of.source)
        )),
        _ => None,
    };
    Line {
        sort,
        name: name.to_owned(),
        count: 1,
        paid,
        power: cost.power.clone(),
        said,
        stages: None,
        figures: without_cost(figures),
    }
}

/// To a thousandth of its unit, which is less than anybody bills.
fn rounded(amount: f64) -> f64 {
    libm::round(amount * 1e3) / 1e3
}

/// Figures as text, but for what they say of costs.
fn without_cost(figures: &impl Serialize) -> Arc<str> {
    let mut value = serde_json::to_value(figures).unwrap_or_default();
    if let Value::Object(keys) = &mut value {
        keys.remove("cost");
    }
    value.to_string().into()
}

/// Every part.
pub(super) fn lines(loaded: &Loaded) -> Vec<Line> {
    let mut all = drives(loaded);
    let instances = loaded.scenario.hba.values().filter(|adapter| adapter.limits.is_some()).count();
    let adapters = adapters(loaded);
    all.extend(servers(loaded, instances));
    all.extend(adapters);
    all.extend(networks(loaded));
    all.extend(others(loaded));
    all
}

/// Keys of a volume that somebody chooses when he rents one, and those that say how a model sees it.
const CHOSEN: [&str; 9] =
    ["cost", "size", "iops", "throughput", "credits", "latency", "path", "queue_depth", "assumed"];

/// Whether a drive's figures are others than those of the one that is sold.
fn is_changed(disk: &Disk, is_volume: bool) -> bool {
    let is_named = disk.model.is_some() || disk.file.is_some();
    let kept: &[&str] = if is_volume { &CHOSEN } else { &CHOSEN[..1] };
    is_named && disk.drive.keys().any(|key| !kept.contains(&key.as_str()))
}

/// Changes, but for those of what it costs.
fn but_cost(changes: &toml::Table) -> toml::Table {
    changes
        .iter()
        .filter(|(key, _)| *key != "cost")
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// Whether a table of changes gives a price.
fn gives_price(changes: &toml::Table) -> bool {
    let cost = changes.get("cost").and_then(toml::Value::as_table);
    cost.is_some_and(|cost| cost.contains_key("price") || cost.contains_key("rent"))
}

/// Whether it says what is drawn.
fn gives_power(changes: &toml::Table) -> bool {
    changes.get("cost").and_then(toml::Value::as_table).is_some_and(|cost| cost.contains_key("power"))
}

/// What is left of what is known where figures were changed.
fn changed(mut line: Line, changes: &toml::Table) -> Line {
    if !gives_price(changes) {
        line.paid = Paid::Unknown(Some("the scenario changes its figures".to_owned()));
        line.said = None;
    }
    if !gives_power(changes) {
        line.power = None;
    }
    line
}

fn drives(loaded: &Loaded) -> Vec<Line> {
    let of_part = |placed: &PlacedDisk| {
        let parameters = placed.device.parameters();
        let mut asked = parameters.asked();
        if asked.bytes == 0 {
            asked.bytes = placed.compiled.blocks().saturating_mul(SECTOR_BYTES);
        }
        let disk = loaded.scenario.disk.get(&placed.part);
        // What it is asked for, and how, changes nothing of what is bought.
        let figures = disk.map(|disk| (&disk.model, &disk.file, but_cost(&disk.drive)));
        let mut line = line(Sort::Drives, parameters.name(), parameters.cost(), &asked, &figures);
        if let Some(disk) = disk.filter(|disk| is_changed(disk, placed.compiled.is_volume())) {
            line = changed(line, &disk.drive);
        }
        line
    };
    // All disks of a part are alike.
    let mut parts: BTreeMap<&str, Line> = BTreeMap::new();
    let mut all = Vec::with_capacity(loaded.disks.len());
    for placed in &loaded.disks {
        let line = parts.entry(placed.part.as_str()).or_insert_with(|| of_part(placed));
        all.push(Line { stages: Some(format!("{}/", placed.name)), ..line.clone() });
    }
    all
}

/// Machines. Where there are as many instances of a cloud as hosts, each host is one of them, and its rent is the instance's.
fn servers(loaded: &Loaded, instances: usize) -> Vec<Line> {
    let names: Vec<&str> = loaded.hosts.names().collect();
    let are_instances = instances > 0 && instances >= names.len();
    let (linux, written) = (&loaded.hosts.linux.hosts, &loaded.scenario.hosts.linux.host);
    let of_machine = |host: &PlacedHost| {
        let name = host.name.as_str();
        let machine = &host.parameters.machine;
        let changes = written.get(name).map(|host| &host.change.machine);
        let figures = (written.get(name).map(|host| &host.machine), changes.map(but_cost));
        let mut line = line(Sort::Servers, &machine.name, &machine.cost, &Asked::default(), &figures);
        if let Some(changes) = changes.filter(|changes| changes.keys().any(|key| key != "cost")) {
            line = changed(line, changes);
        }
        if are_instances && matches!(line.paid, Paid::Unknown(_)) {
            line.paid = Paid::Included;
        }
        line
    };
    // Hosts with the same machine and the same changes are alike.
    let mut machines: BTreeMap<(&str, String), Line> = BTreeMap::new();
    let mut all: Vec<Line> = Vec::with_capacity(names.len());
    for host in linux {
        let Some(described) = written.get(&host.name) else { continue };
        let key = (described.machine.as_str(), described.change.machine.to_string());
        let line = machines.entry(key).or_insert_with(|| of_machine(host));
        all.push(Line { stages: Some(format!("{}/processor", host.name)), ..line.clone() });
    }
    let others = names.iter().filter(|name| !written.contains_key(**name));
    all.extend(
        others
            .map(|name| line(Sort::Servers, "Unix host of 1990", &Cost::default(), &Asked::default(), name)),
    );
    all
}

fn adapters(loaded: &Loaded) -> Vec<Line> {
    let one = |(name, adapter): (&String, &crate::schema::Adapter)| {
        let called = adapter.name.as_deref().unwrap_or(name);
        line(Sort::Adapters, called, &adapter.cost, &Asked::default(), adapter)
    };
    loaded.scenario.hba.iter().map(one).collect()
}

/// Switches, and adapters where these have a price of their own; others come with their machines.
fn networks(loaded: &Loaded) -> Vec<Line> {
    let mut all = Vec::new();
    for placed in &loaded.hosts.linux.networks {
        let Some(network) = loaded.scenario.hosts.linux.network.get(&placed.name) else { continue };
        let called = placed.called.as_deref().unwrap_or(&placed.name);
        let of = |what: &str, cost: &Cost, count: u64| Line {
            count,
            ..line(
                Sort::Networks,
                &format!("{what} of {called}"),
                cost,
                &Asked::default(),
                &network.parameters,
            )
        };
        let switches = u64::from(placed.wiring.switches());
        if switches > 0 {
            all.push(of("switch", &network.place.cost.switch, switches));
        }
        if !network.place.cost.adapter.is_empty() {
            all.push(of("adapter", &network.place.cost.adapter, placed.hosts.len() as u64));
        }
    }
    all
}

/// What parts have of hardware that nothing says the price of: controllers, nodes that have no host.
fn others(loaded: &Loaded) -> Vec<Line> {
    let one = |number: usize| {
        let (count, what) = loaded.holder(number)?.hardware(loaded.storage[number].over.len())?;
        let line =
            line(Sort::Others, what, &Cost::default(), &Asked::default(), &loaded.storage[number].name);
        Some(Line { count, ..line })
    };
    (0..loaded.storage.len()).filter_map(one).collect()
}
