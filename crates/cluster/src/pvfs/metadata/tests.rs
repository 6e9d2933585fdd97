//! Rounds and lengths of single operations, as they were counted of OrangeFS 2.10.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::pvfs::{PvfsParameters, Version};
use petrio_colours::FileId;
use petrio_kernel::Time;
use proptest::prelude::*;

const DIRECTORY: FileId = FileId(2);
const FILE: FileId = FileId(3);

fn site(servers: u32, stuffing: bool) -> Site {
    let parameters = PvfsParameters { version: Version::Pvfs2, stuffing, ..PvfsParameters::default() };
    parameters.metadata(parameters.striping(servers).unwrap())
}

/// A client and what is where.
struct World {
    site: Site,
    known: Known,
    names: Namespace,
    now: Time,
}

impl World {
    fn new(servers: u32) -> Self {
        Self {
            site: site(servers, true),
            known: Known::default(),
            names: Namespace::default(),
            now: Time::ZERO,
        }
    }

    fn ask(&mut self, operation: Operation) -> Vec<String> {
        let Self { site, known, names, now } = self;
        let rounds = Client { site, salt: 7, known, names, now: *now }.rounds(operation);
        rounds
            .iter()
            .map(|stage| stage.iter().map(|ask| ask.kind.name()).collect::<Vec<_>>().join("+"))
            .collect()
    }
}

#[test]
fn a_file_is_made_in_four_round_trips_and_found_again_in_none() {
    let mut world = World::new(4);
    let made = world.ask(Operation::Create { parent: DIRECTORY, file: FILE });
    assert_eq!(made, ["GETATTR", "GETATTR", "CREATE", "CRDIRENT"]);
    let looked_up = Operation::Lookup { parent: DIRECTORY, object: FILE, is_directory: false };
    assert!(world.ask(looked_up).is_empty());
    let size = Operation::Attributes { object: FILE, is_directory: false, size: true };
    assert!(world.ask(size).is_empty(), "it is known to be empty");
    world.now = Time::from_whole_seconds(11);
    assert_eq!(
        world.ask(size),
        ["GETATTR"],
        "sizes are believed for 10 s, and a stuffed file's comes with its attributes"
    );
    world.now = Time::from_whole_seconds(100);
    assert_eq!(
        world.ask(looked_up),
        ["GETATTR", "GETATTR", "LOOKUP_PATH"].into_iter().chain(["GETATTR"]).collect::<Vec<_>>()[..]
    );
}

#[test]
fn a_write_beyond_the_first_stripe_unstuffs_once() {
    let mut world = World::new(4);
    world.ask(Operation::Create { parent: DIRECTORY, file: FILE });
    let access = |end| Operation::Access { file: FILE, end, writes: true };
    assert_eq!(world.ask(access(4 << 10)), ["GETATTR"], "a capability");
    assert!(world.ask(access(64 << 10)).is_empty());
    assert_eq!(world.ask(access((64 << 10) + 1)), ["UNSTUFF"]);
    assert!(world.ask(access(1 << 20)).is_empty());
    let size = Operation::Attributes { object: FILE, is_directory: false, size: true };
    assert_eq!(world.ask(size), ["GETATTR", "TREE_GET_FILE_SIZE"]);
    assert_eq!(world.ask(Operation::Flush { file: FILE }), ["FLUSH+FLUSH+FLUSH+FLUSH+FLUSH"]);
}

#[test]
fn a_read_beyond_the_first_stripe_of_a_file_that_is_believed_to_be_stuffed_asks_first() {
    let mut world = World::new(4);
    world.ask(Operation::Create { parent: DIRECTORY, file: FILE });
    world.ask(Operation::Access { file: FILE, end: 4_096, writes: true });
    let read = Operation::Access { file: FILE, end: 1 << 20, writes: false };
    assert_eq!(world.ask(read), ["GETATTR"]);
}

#[test]
fn trees_are_two_wide_beyond_two() {
    assert_eq!(
        children(3, &[3, 4, 2, 1]).iter().map(|part| part.to_vec()).collect::<Vec<_>>(),
        [vec![4, 2], vec![1]]
    );
    assert_eq!(children(0, &[0, 1, 2]).len(), 2);
    assert!(children(0, &[0]).is_empty());
}

#[test]
fn a_directory_is_split_over_servers_as_it_grows() {
    let parameters = PvfsParameters {
        version: Version::Pvfs2,
        directory_servers_most: Some(4),
        directory_split: 100,
        ..PvfsParameters::default()
    };
    let mut world = World { site: parameters.metadata(parameters.striping(8).unwrap()), ..World::new(8) };
    let mut splits = 0;
    for file in 10..2_010 {
        let asked = world.ask(Operation::Create { parent: DIRECTORY, file: FileId(file) });
        splits += asked.iter().filter(|stage| *stage == "MGMT_SPLIT_DIRENT").count();
    }
    assert_eq!(splits, 3, "from one server to four");
    let asked = world.ask(Operation::ReadDirectory {
        directory: DIRECTORY,
        names: 2_000,
        wanted: (0, 2_000),
        first: None,
    });
    assert_eq!(asked.iter().filter(|stage| *stage == "READDIR").count(), 4);
}

/// What a directory of a million names costs: a name in it as much as in a small one, but for the attributes of its parts, which are asked
/// for together; a listing as many requests as there are pages of
/// names, whether it is read in one piece or page after page, and three splits on its way to four servers.
#[test]
fn a_million_names_are_found_like_one_and_listed_page_by_page() {
    const MILLION: u32 = 1_000_000;
    let parameters = PvfsParameters {
        version: Version::Pvfs2,
        directory_servers_most: Some(4),
        ..PvfsParameters::default()
    };
    let with_names = |count: u32| {
        let mut world = World { site: parameters.metadata(parameters.striping(4).unwrap()), ..World::new(4) };
        let World { site, names, .. } = &mut world;
        names.is_there(site, DIRECTORY, FileId::ROOT, (true, 0));
        for file in 0..count {
            names.is_there(site, FileId(10 + file), DIRECTORY, (false, 0));
        }
        assert_eq!(names.names(DIRECTORY), u64::from(count));
        world
    };
    let (mut small, mut world) = (with_names(10), with_names(MILLION));
    let looked_up = Operation::Lookup { parent: DIRECTORY, object: FileId(12), is_directory: false };
    let (found, mut expected) = (world.ask(looked_up), small.ask(looked_up));
    expected[1] = ["GETATTR"; 4].join("+");
    assert_eq!(found, expected);
    assert_eq!(world.names.parts(&world.site, DIRECTORY), 4);
    let mut reads = |wanted: (u64, u64)| {
        let listed =
            Operation::ReadDirectory { directory: DIRECTORY, names: u64::from(MILLION), wanted, first: None };
        world.ask(listed).iter().filter(|stage| *stage == "READDIR").count()
    };
    // Each of four servers has 250,000 names, which are 489 pages of 512.
    assert_eq!(reads((0, u64::from(MILLION))), 4 * 489);
    let pages: usize = (0..1_954).map(|page| reads((512 * page, 512))).sum();
    assert_eq!(pages, 1_954 + 3, "a page of two servers is two requests");
    assert_eq!((reads((u64::from(MILLION), 512)), reads((249_999, 512))), (1, 2));
}

proptest! {
    /// A tree asks every server but its root once, and servers by number are reached in as many hops as its depth.
    #[test]
    fn a_tree_reaches_every_server_once(servers in 1_u32..200, root in 0_u32..200) {
        let root = root % servers;
        let all: smallvec::SmallVec<[u32; 8]> = (0..servers).collect();
        let ask = Ask {
            kind: Kind::TreeRemove,
            server: root,
            object: FILE,
            parent: FileId::ROOT,
            count: 1,
            message: Message::default(),
            others: all,
        };
        let mut reached: Vec<u32> = relayed(&ask).into_iter().map(|(_, to, _)| to).collect();
        reached.sort_unstable();
        prop_assert_eq!(reached, (0..servers).filter(|server| *server != root).collect::<Vec<_>>());
    }

    /// What a client knows never makes an operation ask more, and a longer validity doesn't either.
    #[test]
    fn knowing_asks_less(operations in proptest::collection::vec((0_u8..6, 0_u32..4), 1..40), gap in 0_u64..30) {
        let asked = |valid: Validity| {
            let mut world = World::new(4);
            world.site.valid = valid;
            let mut asked = 0;
            for (at, (which, file)) in operations.iter().enumerate() {
                world.now = Time::from_whole_seconds(gap * at as u64);
                let object = FileId(10 + file);
                let operation = match which {
                    0 => Operation::Lookup { parent: DIRECTORY, object, is_directory: false },
                    1 => Operation::Attributes { object, is_directory: false, size: true },
                    2 => Operation::Access { file: object, end: 4_096, writes: true },
                    3 => Operation::Access { file: object, end: 4_096, writes: false },
                    4 => Operation::Flush { file: object },
                    _ => Operation::SetAttributes { object, is_directory: false },
                };
                asked += world.ask(operation).len();
            }
            asked
        };
        let never = Validity { attributes: Time::ZERO, size: Time::ZERO, names: Time::ZERO, capabilities: Time::ZERO };
        let usual = asked(Validity::default());
        prop_assert!(usual <= asked(never));
        let hour = Time::from_whole_seconds(3_600);
        let long = Validity { attributes: hour, size: hour, names: hour, capabilities: hour };
        prop_assert!(asked(long) <= usual);
    }
}
