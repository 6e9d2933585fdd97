//! The `dm_disk` block: geometry and mechanics (DiskSim's library diskmodel).

use super::error::{ImportError, Problem};
use super::files::Files;
use super::layout_g4::{self, Tracks};
use super::notes::{Ignored, Notes};
use super::reader::{Reader, duration};
use super::seek_file;
use petrio_kernel::Time;
use petrio_models::device::disk::parameters::{
    GeometryParameters, MechanicsParameters, SeekParameters, Sparing, TrackOrder, ZoneParameters,
};
use petrio_models::device::disk::{Layout, LayoutError};
use petrio_units::RotationSpeed;
use petrio_units::numbers::{as_number, whole_part};

/// Reads geometry and mechanics.
pub(super) fn read(
    model: &Reader<'_>,
    files: &dyn Files,
    notes: &mut Notes,
) -> Result<(GeometryParameters, MechanicsParameters), ImportError> {
    let layout = model.need_block("Layout Model")?;
    if !matches!(layout.block().kind.as_str(), "dm_layout_g1" | "dm_layout_g4") {
        let found = layout.block().kind.clone();
        let supported = "layouts of type dm_layout_g1 and dm_layout_g4";
        return Err(
            model.error("Layout Model", Problem::Unsupported { name: "Layout Model", found, supported })
        );
    }
    let mechanical = model.need_block("Mechanical Model")?;
    if mechanical.block().kind != "dm_mech_g1" {
        let found = mechanical.block().kind.clone();
        let supported = "mechanics of type dm_mech_g1";
        let problem = Problem::Unsupported { name: "Mechanical Model", found, supported };
        return Err(model.error("Mechanical Model", problem));
    }
    let geometry = geometry(model, &layout, notes)?;
    let mechanics = mechanics(&mechanical, files, notes)?;
    for reader in [model, &layout, &mechanical] {
        notes.left_over(reader);
    }
    Ok((geometry, mechanics))
}

/// The zones of a `dm_layout_g1`.
fn zones(layout: &Reader<'_>, notes: &mut Notes) -> Result<Tracks, ImportError> {
    let order = match layout.need_count("LBN-to-PBN mapping scheme", 2)? {
        0 => TrackOrder::Cylinder,
        1 => TrackOrder::Serpentine,
        _ => TrackOrder::SerpentineAcrossZones,
    };
    let range = as_number(layout.count("Rangesize for sparing", u64::from(u32::MAX))?.unwrap_or(1).max(1));
    let sparing = match layout.need_count("Sparing scheme used", 10)? {
        0 => Sparing::None,
        1 => Sparing::TracksPerZone,
        2 => Sparing::SectorsPerCylinder { at_front: false, slip_to_end: false },
        3 => Sparing::SectorsPerTrack,
        4 => Sparing::SectorsPerCylinder { at_front: false, slip_to_end: true },
        5 => Sparing::SectorsPerCylinder { at_front: true, slip_to_end: false },
        6 => Sparing::SectorsPerCylinder { at_front: true, slip_to_end: true },
        7 => Sparing::SectorsAtEnd,
        8 => Sparing::SectorsPerCylinderRange { cylinders: range },
        9 => Sparing::SectorsPerZone { slip_to_end: false },
        _ => Sparing::SectorsPerZone { slip_to_end: true },
    };
    let units = layout.words("Skew units")?;
    let items = layout.list("Zones")?.unwrap_or_default();
    let mut zones = Vec::with_capacity(items.len());
    for item in items {
        let super::syntax::Value::Block(block) = &item.value else {
            let found = item.value.describe();
            let expected = "a list of blocks of type dm_layout_g1_zone".to_owned();
            let problem = Problem::Value { name: "Zones".to_owned(), expected, found };
            return Err(ImportError::new(&layout.block().file, item.line, problem));
        };
        zones.push(zone(&Reader::new(block), units, notes)?);
    }
    Ok(Tracks { order, sparing, zones })
}

fn geometry(
    model: &Reader<'_>,
    layout: &Reader<'_>,
    notes: &mut Notes,
) -> Result<GeometryParameters, ImportError> {
    let surfaces = as_number(model.need_count("Number of data surfaces", 1 << 16)?);
    let Tracks { order, sparing, zones } = match layout.block().kind.as_str() {
        "dm_layout_g4" => layout_g4::read(layout, surfaces, notes)?,
        _ => zones(layout, notes)?,
    };
    let mut geometry = GeometryParameters {
        surfaces,
        cylinders: as_number(model.need_count("Number of cylinders", u64::from(u32::MAX))?),
        blocks: model.count("Block count", u64::MAX)?,
        order,
        sparing,
        skew_scale: 1.0,
        physical_sector: petrio_units::Blocks(1),
        zones,
    };
    // Some published files count one cylinder too few.
    if let Some(last) = geometry.zones.iter().map(|zone| zone.last_cylinder).max()
        && last >= geometry.cylinders
        && last - geometry.cylinders < 8
    {
        notes.add(Ignored::new(
            model.block(),
            "Number of cylinders",
            &geometry.cylinders.to_string(),
            "the zones reach further; the last zone's end counts",
        ));
        geometry.cylinders = last + 1;
    }
    // DiskSim counts the blocks itself and ignores the figure where the zones hold fewer.
    if let Err(LayoutError::TooFewBlocks { blocks, held }) = Layout::new(&geometry, Time::from_millis(10)) {
        let why = format!("the zones hold only {held} blocks; the drive offers those");
        notes.add(Ignored::new(model.block(), "Block count", &blocks.to_string(), &why));
        geometry.blocks = None;
    }
    // Nor does it where they hold far more: traces of the drive then go there. A few blocks less are what a drive keeps for itself.
    if let (Some(blocks), Ok(layout)) = (
        geometry.blocks,
        Layout::new(&GeometryParameters { blocks: None, ..geometry.clone() }, Time::from_millis(10)),
    ) && blocks < layout.blocks() - layout.blocks() / 50
    {
        let why = format!("the zones hold {} blocks; the drive offers those", layout.blocks());
        notes.add(Ignored::new(model.block(), "Block count", &blocks.to_string(), &why));
        geometry.blocks = None;
    }
    Ok(geometry)
}

fn zone(zone: &Reader<'_>, units: Option<&str>, notes: &mut Notes) -> Result<ZoneParameters, ImportError> {
    let cylinder = |name| Ok::<_, ImportError>(as_number(zone.need_count(name, u64::from(u32::MAX))?));
    let sectors_per_track = as_number(zone.need_count("Blocks per track", 1 << 16)?);
    let units = zone.words("Skew units")?.or(units);
    let revolutions = match units {
        None | Some("sectors") => false,
        Some("revolutions") => true,
        Some(other) => {
            let found = format!("\"{other}\"");
            let problem =
                Problem::Unsupported { name: "Skew units", found, supported: "sectors and revolutions" };
            return Err(zone.error("Skew units", problem));
        }
    };
    let skew = |name| -> Result<f64, ImportError> {
        let skew = zone.number(name)?.unwrap_or(0.0);
        Ok(if revolutions { skew * f64::from(sectors_per_track) } else { skew })
    };
    let defects = zone.counts("defects")?;
    if !defects.len().is_multiple_of(2) {
        let expected = "pairs of a bad location and its replacement".to_owned();
        let found = format!("{} numbers", defects.len());
        return Err(zone.error("defects", Problem::Value { name: "defects".to_owned(), expected, found }));
    }
    let parameters = ZoneParameters {
        first_cylinder: cylinder("First cylinder number")?,
        last_cylinder: cylinder("Last cylinder number")?,
        sectors_per_track,
        track_skew_sectors: skew("Skew for track switch")?,
        cylinder_skew_sectors: skew("Skew for cylinder switch")?,
        first_sector_angle_sectors: skew("Offset of first block")?,
        reserved_sectors: zone.count("Empty space at zone front", u64::from(u32::MAX))?.unwrap_or(0),
        spares: zone.count("Number of spares", u64::from(u32::MAX))?.unwrap_or(0),
        slips: zone.counts("slips")?,
        remaps: defects.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect(),
    };
    notes.left_over(zone);
    Ok(parameters)
}

fn mechanics(
    mechanical: &Reader<'_>,
    files: &dyn Files,
    notes: &mut Notes,
) -> Result<MechanicsParameters, ImportError> {
    let speed = mechanical.need_number("Rotation speed (in rpms)")?;
    let rotation = RotationSpeed::new(speed).ok_or_else(|| {
        let name = "Rotation speed (in rpms)";
        let expected = "more than 0".to_owned();
        mechanical.error(name, Problem::Value { name: name.to_owned(), expected, found: speed.to_string() })
    })?;
    match mechanical.words("Access time type")? {
        None | Some("trackSwitchPlusRotation") => {}
        Some(other) => notes.add(Ignored::new(
            mechanical.block(),
            "Access time type",
            other,
            "the platter's position is always simulated",
        )),
    }
    let (seek, write_seek) = seek(mechanical, files)?;
    // Parameters of the other seek types stand in many files without effect; DiskSim reads past them too.
    mechanical.without_effect(&[
        "Single cylinder seek time",
        "Average seek time",
        "Full strobe seek time",
        "Constant seek time",
        "Constant access time",
        "HPL seek equation values",
        "First ten seek times",
        "Full seek curve",
    ]);
    if let Some(error) = mechanical.number("Percent error in rpms")?.filter(|&error| error != 0.0) {
        notes.add(Ignored::new(
            mechanical.block(),
            "Percent error in rpms",
            &error.to_string(),
            "the platters turn at the nominal speed",
        ));
    }
    Ok(MechanicsParameters {
        rotation,
        head_switch: mechanical.need_milliseconds("Head switch time")?,
        write_settle: mechanical.signed_milliseconds("Add. write settling delay")?,
        seek,
        write_seek,
        rotation_tolerance: MechanicsParameters::USUAL_TOLERANCE,
        minimum_seek: petrio_units::Duration::ZERO,
        seek_scale: petrio_units::Fraction::ONE,
    })
}

fn seek(
    mechanical: &Reader<'_>,
    files: &dyn Files,
) -> Result<(SeekParameters, Option<SeekParameters>), ImportError> {
    let three = || -> Result<_, ImportError> {
        Ok((
            mechanical.need_milliseconds("Single cylinder seek time")?,
            mechanical.need_milliseconds("Average seek time")?,
            mechanical.need_milliseconds("Full strobe seek time")?,
        ))
    };
    // A full curve overrides the type.
    let kind = mechanical.need_words("Seek type")?;
    let kind = if mechanical.has("Full seek curve") { "extracted" } else { kind };
    let parameters = match kind {
        "constant" => SeekParameters::Constant { time: mechanical.need_milliseconds("Constant seek time")? },
        "linear" => {
            let (single, average, full) = three()?;
            SeekParameters::ThreePointLine { single, average, full }
        }
        "curve" => {
            let (single, average, full) = three()?;
            SeekParameters::ThreePointCurve { single, average, full }
        }
        "hpl" | "hplplus10" => two_part(mechanical, kind == "hplplus10")?,
        "extracted" => {
            let file = mechanical.need_words("Full seek curve")?;
            return seek_file::read(files, mechanical, file);
        }
        other => {
            let found = format!("\"{other}\"");
            let supported = "constant, linear, curve, hpl, hplplus10 and extracted";
            return Err(
                mechanical.error("Seek type", Problem::Unsupported { name: "Seek type", found, supported })
            );
        }
    };
    Ok((parameters, None))
}

/// `hpl`: V1 cylinders, then V2 + V3·√d below and V4 + V5·d from there on; V6 is the time of one cylinder unless −1.
fn two_part(mechanical: &Reader<'_>, first_ten: bool) -> Result<SeekParameters, ImportError> {
    const NAME: &str = "HPL seek equation values";
    let values = mechanical.numbers(NAME)?;
    let wrong = || {
        let expected = "six numbers: cylinders, four times in ms, and a time in ms or -1".to_owned();
        let found = format!("{values:?}");
        mechanical.error(NAME, Problem::Value { name: NAME.to_owned(), expected, found })
    };
    let &[knee, base, root, far_base, per_cylinder, single] = values.as_slice() else { return Err(wrong()) };
    let time = |ms: f64| duration(ms).ok_or_else(|| mechanical.out_of_range(NAME, ms));
    if !(0.0..=f64::from(u32::MAX)).contains(&knee) {
        return Err(wrong());
    }
    let mut first = Vec::new();
    if first_ten {
        const FIRST: &str = "First ten seek times";
        for ms in mechanical.numbers(FIRST)? {
            first.push(duration(ms).ok_or_else(|| mechanical.out_of_range(FIRST, ms))?);
        }
    } else if single >= 0.0 {
        first.push(time(single)?);
    }
    Ok(SeekParameters::TwoPart {
        knee_cylinders: as_number(whole_part(knee)),
        base: time(base)?,
        root: time(root)?,
        far_base: time(far_base)?,
        per_cylinder: time(per_cylinder)?,
        first,
    })
}
