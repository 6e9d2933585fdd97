//! Cases of md worked out by hand, and what must hold of all.

use super::*;

/// One-page chunks, parity last: array page k of 5 members is on member k % 4, row k / 4.
fn last(level: u32, members: usize) -> Md {
    Md { level, algorithm: Algorithm::ParityN, members, chunk_sectors: PAGE }
}

fn failed(members: &[usize]) -> Vec<bool> {
    (0..16).map(|member| members.contains(&member)).collect()
}

/// Pages as (member, page on the member).
fn pages(list: &[(usize, u64)]) -> BTreeSet<(usize, u64)> {
    let sectors = |page: u64| page * PAGE..(page + 1) * PAGE;
    list.iter().flat_map(|(member, page)| sectors(*page).map(|sector| (*member, sector))).collect()
}

/// Pages of the first row.
fn row(members: &[usize]) -> BTreeSet<(usize, u64)> {
    pages(&members.iter().map(|member| (*member, 0)).collect::<Vec<_>>())
}

fn io(reads: &[usize], writes: &[usize]) -> Option<Io> {
    Some(Io { reads: row(reads), writes: row(writes) })
}

/// Data members of two rows, P and Q of both.
type Rows = (Vec<usize>, Vec<usize>, [(usize, Option<usize>); 2]);

/// Data members of rows 0 and 1, one-page chunks, and P and Q of both.
fn rows(level: u32, algorithm: Algorithm) -> Rows {
    let md = Md { level, algorithm, members: 5, chunk_sectors: PAGE };
    let data = if level == 6 { 3 } else { 4 };
    let member = |row: u64, k: u64| {
        let (member, sector) = md.place((row * data + k) * PAGE + 3);
        assert_eq!(sector, row * PAGE + 3);
        member
    };
    (
        (0..data).map(|k| member(0, k)).collect(),
        (0..data).map(|k| member(1, k)).collect(),
        [md.parity(1), md.parity(PAGE + 1)],
    )
}

#[test]
fn places_of_level_5() {
    // left: P = 4 - row; right: P = row. Asymmetric: data in order of members, P left out.
    // Symmetric: data begin after P and wrap.
    let case = |algorithm| rows(5, algorithm);
    let p = |a, b| [(a, None), (b, None)];
    assert_eq!(case(Algorithm::LeftAsymmetric), (vec![0, 1, 2, 3], vec![0, 1, 2, 4], p(4, 3)));
    assert_eq!(case(Algorithm::LeftSymmetric), (vec![0, 1, 2, 3], vec![4, 0, 1, 2], p(4, 3)));
    assert_eq!(case(Algorithm::RightAsymmetric), (vec![1, 2, 3, 4], vec![0, 2, 3, 4], p(0, 1)));
    assert_eq!(case(Algorithm::RightSymmetric), (vec![1, 2, 3, 4], vec![2, 3, 4, 0], p(0, 1)));
    assert_eq!(case(Algorithm::ParityN), (vec![0, 1, 2, 3], vec![0, 1, 2, 3], p(4, 4)));
    // Level 4 ignores the algorithm.
    assert_eq!(rows(4, Algorithm::LeftSymmetric), case(Algorithm::ParityN));
}

#[test]
fn places_of_level_6() {
    // left: P = 4 - row; right: P = row; Q follows P and wraps.
    // Asymmetric: data in order of members, P and Q left out. Symmetric: data begin after Q and wrap.
    let case = |algorithm| rows(6, algorithm);
    let pq = |a, b, c, d| [(a, Some(b)), (c, Some(d))];
    // Row 0 is Q D D D P, row 1 D D D P Q.
    assert_eq!(case(Algorithm::LeftAsymmetric), (vec![1, 2, 3], vec![0, 1, 2], pq(4, 0, 3, 4)));
    assert_eq!(case(Algorithm::LeftSymmetric), (vec![1, 2, 3], vec![0, 1, 2], pq(4, 0, 3, 4)));
    // Row 0 is P Q D D D, row 1 D P Q D D.
    assert_eq!(case(Algorithm::RightAsymmetric), (vec![2, 3, 4], vec![0, 3, 4], pq(0, 1, 1, 2)));
    assert_eq!(case(Algorithm::RightSymmetric), (vec![2, 3, 4], vec![3, 4, 0], pq(0, 1, 1, 2)));
    assert_eq!(case(Algorithm::ParityN), (vec![0, 1, 2], vec![0, 1, 2], pq(3, 4, 3, 4)));
    // Left, row 2 (P = 2, Q = 3) tells the two apart: D D P Q D.
    let member = |algorithm, k: u64| {
        let md = Md { level: 6, algorithm, members: 5, chunk_sectors: PAGE };
        md.place((6 + k) * PAGE).0
    };
    assert_eq!([0, 1, 2].map(|k| member(Algorithm::LeftAsymmetric, k)), [0, 1, 4]);
    assert_eq!([0, 1, 2].map(|k| member(Algorithm::LeftSymmetric, k)), [4, 0, 1]);
}

#[test]
fn places_within_chunks() {
    // Chunks of 16 sectors, 4 of them a row: sector 100 is chunk 6, offset 4; row 1, third data.
    // Left symmetric row 1: P on 3, data on 4 0 1 2. Sector 16 + 4 of member 1.
    let md = Md { level: 5, algorithm: Algorithm::LeftSymmetric, members: 5, chunk_sectors: 16 };
    assert_eq!(md.place(100), (1, 20));
    assert_eq!(md.parity(20), (3, None));
}

#[test]
fn level_5_healthy() {
    let md = last(5, 5);
    let write = |first, sectors| md.write(first, sectors, &[]);
    // D0: rmw reads D0 P = 2, rcw reads D1 D2 D3 = 3. rmw.
    assert_eq!(write(0, 8), io(&[0, 4], &[0, 4]));
    // D0 D1: rmw D0 D1 P = 3, rcw D2 D3 = 2. rcw.
    assert_eq!(write(0, 16), io(&[2, 3], &[0, 1, 4]));
    // All but D3: rmw 4, rcw 1. rcw.
    assert_eq!(write(0, 24), io(&[3], &[0, 1, 2, 4]));
    // Full row: rcw lacks nothing.
    assert_eq!(write(0, 32), io(&[], &[0, 1, 2, 3, 4]));
    assert_eq!(write(0, 0), Some(Io::default()));
    // Levels 4 and 5 do the same.
    assert_eq!(last(4, 5).write(0, 8, &[]), write(0, 8));
}

#[test]
fn level_5_partial_pages() {
    let md = last(5, 5);
    // Sectors 2..5 of D0: D0 is read at once to be filled up; then rmw lacks P = 1, rcw D1 D2 D3 = 3. rmw.
    // Pages are read and written whole.
    assert_eq!(md.write(2, 3, &[]), io(&[0, 4], &[0, 4]));
    // Halves of D0 and D1: both read; rmw lacks P = 1, rcw D2 D3 = 2. rmw, where whole pages go by rcw.
    assert_eq!(md.write(4, 8, &[]), io(&[0, 1, 4], &[0, 1, 4]));
    // D0 and half of D1: D1 read; rmw lacks D0 P = 2, rcw D2 D3 = 2. A tie goes to rcw.
    assert_eq!(md.write(0, 12, &[]), io(&[1, 2, 3], &[0, 1, 4]));
    // D0 D1 D2 and half of D3: D3 read; rcw then lacks nothing.
    assert_eq!(md.write(0, 28, &[]), io(&[3], &[0, 1, 2, 3, 4]));
}

#[test]
fn ties() {
    let md = last(5, 4);
    // 4 members, D0: rmw D0 P = 2, rcw D1 D2 = 2. A tie: rcw, but for rmw_level 2.
    assert_eq!(md.write(0, 8, &[]), io(&[1, 2], &[0, 3]));
    assert_eq!(md.write_with(RmwLevel::Prefer, 0, 8, &[]), io(&[0, 3], &[0, 3]));
    // Half of D0: D0 is read anyhow; rmw lacks P = 1, rcw D1 D2 = 2. rmw.
    assert_eq!(md.write(0, 4, &[]), io(&[0, 3], &[0, 3]));
    // 3 members, half of D0: rmw lacks P = 1, rcw D1 = 1. A tie: rcw, D0 and D1 are read.
    assert_eq!(last(5, 3).write(0, 4, &[]), io(&[0, 1], &[0, 2]));
    // 2 members: rcw lacks nothing, a mirror.
    assert_eq!(last(5, 2).write(0, 8, &[]), io(&[], &[0, 1]));
}

#[test]
fn stripes_are_pages_not_chunks() {
    let md = Md { chunk_sectors: 16, ..last(5, 5) };
    // Pages 1 and 2 of the array: page 1 of D0 and page 0 of D1, in two stripes. Each by rmw: 2 reads, 2 writes.
    let both = pages(&[(0, 1), (4, 1), (1, 0), (4, 0)]);
    let expected = Io { reads: both.clone(), writes: both };
    assert_eq!(md.write(8, 16, &[]), Some(expected));
    // Pages 0 to 3: D0 and D1 in both stripes. Each by rcw: reads D2 D3.
    let expected = Io {
        reads: pages(&[(2, 0), (3, 0), (2, 1), (3, 1)]),
        writes: pages(&[(0, 0), (1, 0), (4, 0), (0, 1), (1, 1), (4, 1)]),
    };
    assert_eq!(md.write(0, 32, &[]), Some(expected));
}

#[test]
fn level_5_degraded() {
    let md = last(5, 5);
    let write = |first, sectors, member| md.write(first, sectors, &failed(&[member]));
    // D0 missing and written: rmw 10 + 1, rcw D1 D2 D3 = 3. rcw; D0 itself lives in P only.
    assert_eq!(write(0, 8, 0), io(&[1, 2, 3], &[4]));
    // D0 missing and written in part: all left are read to compute D0.
    assert_eq!(write(0, 4, 0), io(&[1, 2, 3, 4], &[4]));
    // D3 missing, not written: rmw D0 P = 2, rcw 2 + 10. rmw.
    assert_eq!(write(0, 8, 3), io(&[0, 4], &[0, 4]));
    // D3 missing, all others written: rmw 4, rcw 10. rmw, where a healthy array reads D3 alone.
    assert_eq!(write(0, 24, 3), io(&[0, 1, 2, 4], &[0, 1, 2, 4]));
    // D3 missing, D0 written in part: D0 read; rmw lacks P.
    assert_eq!(write(0, 4, 3), io(&[0, 4], &[0, 4]));
    // P missing: rmw 1 + 10, rcw D1 D2 D3 = 3. Read though there is no parity to write.
    assert_eq!(write(0, 8, 4), io(&[1, 2, 3], &[0]));
    // P missing, D0 in part: D0 read, then D1 D2 D3 for rcw.
    assert_eq!(write(0, 4, 4), io(&[0, 1, 2, 3], &[0]));
    // Full row: no reads; the missing is left out.
    assert_eq!(write(0, 32, 0), io(&[], &[1, 2, 3, 4]));
    assert_eq!(md.write(0, 8, &failed(&[2, 3])), None);
    // D0 and D1 written, D1 missing: rmw D0 10 P = 12, rcw D2 D3 = 2. rcw.
    assert_eq!(write(0, 16, 1), io(&[2, 3], &[0, 4]));
    // D0 whole, D1 missing and written in part: all left are read, D0 too, to compute D1.
    assert_eq!(write(0, 12, 1), io(&[0, 2, 3, 4], &[0, 4]));
}

#[test]
fn level_6_healthy() {
    // 7 members, data 0 to 4, P 5, Q 6. D0: rmw D0 P Q = 3, rcw 4. rmw.
    let md = last(6, 7);
    assert_eq!(md.write(0, 8, &[]), io(&[0, 5, 6], &[0, 5, 6]));
    // D0 D1: rmw 4, rcw 3. rcw.
    assert_eq!(md.write(0, 16, &[]), io(&[2, 3, 4], &[0, 1, 5, 6]));
    // Half of D0: D0 read; rmw lacks P Q = 2, rcw 4. rmw.
    assert_eq!(md.write(0, 4, &[]), io(&[0, 5, 6], &[0, 5, 6]));
    assert_eq!(md.write(0, 40, &[]), io(&[], &[0, 1, 2, 3, 4, 5, 6]));
    // Without xor_syndrome: always rcw.
    let disable = |members: &[usize]| md.write_with(RmwLevel::Disable, 0, 8, &failed(members));
    assert_eq!(disable(&[]), io(&[1, 2, 3, 4], &[0, 5, 6]));
    // Then a missing D1 that is not overwritten makes md read all that is left. So did older kernels.
    assert_eq!(disable(&[1]), io(&[0, 2, 3, 4, 5, 6], &[0, 5, 6]));
    // 6 members, D0: rmw 3, rcw D1 D2 D3 = 3. A tie: rcw.
    assert_eq!(last(6, 6).write(0, 8, &[]), io(&[1, 2, 3], &[0, 4, 5]));
    let prefer = last(6, 6).write_with(RmwLevel::Prefer, 0, 8, &[]);
    assert_eq!(prefer, io(&[0, 4, 5], &[0, 4, 5]));
}

#[test]
fn level_6_one_missing() {
    let md = last(6, 7);
    let write = |first, sectors, member| md.write(first, sectors, &failed(&[member]));
    // D1 missing, not written: rmw D0 P Q = 3, rcw 3 + 14. rmw.
    assert_eq!(write(0, 8, 1), io(&[0, 5, 6], &[0, 5, 6]));
    // D0 missing and written: rmw 14 + 2, rcw 4. rcw.
    assert_eq!(write(0, 8, 0), io(&[1, 2, 3, 4], &[5, 6]));
    // D0 missing and written in part: all left are read, both P and Q, though one would do.
    assert_eq!(write(0, 4, 0), io(&[1, 2, 3, 4, 5, 6], &[5, 6]));
    // P or Q missing: rmw 14 + 2, rcw 4. rcw, never rmw on the parity that is left.
    assert_eq!(write(0, 8, 5), io(&[1, 2, 3, 4], &[0, 6]));
    assert_eq!(write(0, 8, 6), io(&[1, 2, 3, 4], &[0, 5]));
    // D4 missing, all others written: rmw 4 + 2, rcw 14. rmw.
    assert_eq!(write(0, 32, 4), io(&[0, 1, 2, 3, 5, 6], &[0, 1, 2, 3, 5, 6]));
}

#[test]
fn level_6_two_missing() {
    let md = last(6, 7);
    let write = |first, sectors, a, b| md.write(first, sectors, &failed(&[a, b]));
    // D1 D2 missing, not written: rmw 3, rcw 2 + 28. rmw.
    assert_eq!(write(0, 8, 1, 2), io(&[0, 5, 6], &[0, 5, 6]));
    // D0 missing and written, D1 missing: force_rcw, and D1 is not overwritten. All left are read, both computed.
    assert_eq!(write(0, 8, 0, 1), io(&[2, 3, 4, 5, 6], &[5, 6]));
    // D0 D1 missing and written: nothing to compute; rmw 28 + 2, rcw 3. rcw.
    assert_eq!(write(0, 16, 0, 1), io(&[2, 3, 4], &[5, 6]));
    // P and D1 missing: force_rcw. All left are read, D0 that is overwritten too.
    assert_eq!(write(0, 8, 1, 5), io(&[0, 2, 3, 4, 6], &[0, 6]));
    assert_eq!(write(0, 8, 1, 6), io(&[0, 2, 3, 4, 5], &[0, 5]));
    // P and D0 missing, D0 written: rmw 28 + 1, rcw 4. rcw.
    assert_eq!(write(0, 8, 0, 5), io(&[1, 2, 3, 4], &[6]));
    // P and Q missing: rmw 1 + 28, rcw 4. Read though there is no parity to write.
    assert_eq!(write(0, 8, 5, 6), io(&[1, 2, 3, 4], &[0]));
    // P and Q missing, D0 in part: D0 read, then rcw.
    assert_eq!(write(0, 4, 5, 6), io(&[0, 1, 2, 3, 4], &[0]));
    // D0 missing and written in part, D1 missing: all left are read.
    assert_eq!(write(0, 4, 0, 1), io(&[2, 3, 4, 5, 6], &[5, 6]));
    assert_eq!(md.write(0, 8, &failed(&[0, 1, 2])), None);
}

#[test]
fn reads_healthy() {
    // Sectors 6..19, one-page chunks: two of D0, eight of D1, three of D2. No rounding, though two chunks are cut.
    let io = last(5, 5).read(6, 13, &[]);
    let reads = [(0, 6..8), (1, 0..8), (2, 0..3)];
    let reads = reads.into_iter().flat_map(|(member, at)| at.map(move |sector| (member, sector)));
    let expected = Io { reads: reads.collect(), writes: BTreeSet::new() };
    assert_eq!(io, Some(expected));
}

#[test]
fn reads_degraded() {
    let read = |level, members, first, sectors, missing: &[usize]| {
        last(level, members).read(first, sectors, &failed(missing))
    };
    // The member asked is there, another is not: its page whole.
    assert_eq!(read(5, 5, 1, 1, &[3]), io(&[0], &[]));
    assert_eq!(read(5, 5, 1, 1, &[4]), io(&[0], &[]));
    // Missing: all others of the page's row.
    assert_eq!(read(5, 5, 1, 1, &[0]), io(&[1, 2, 3, 4], &[]));
    // Sectors 4..20, D1 missing: D0 D2 asked, all others read for D1.
    assert_eq!(read(5, 5, 4, 16, &[1]), io(&[0, 2, 3, 4], &[]));
    // Level 6, one missing: both P and Q are read.
    assert_eq!(read(6, 6, 1, 1, &[0]), io(&[1, 2, 3, 4, 5], &[]));
    assert_eq!(read(6, 6, 1, 1, &[0, 1]), io(&[2, 3, 4, 5], &[]));
    assert_eq!(read(6, 6, 1, 1, &[0, 4]), io(&[1, 2, 3, 5], &[]));
    assert_eq!(read(6, 6, 1, 1, &[4, 5]), io(&[0], &[]));
    assert_eq!(read(6, 6, 1, 1, &[1, 2]), io(&[0], &[]));
    // Too many missing: members left are still read, those missing are not.
    assert_eq!(read(5, 5, 8, 1, &[0, 2]), io(&[1], &[]));
    assert_eq!(read(5, 5, 0, 1, &[0, 2]), None);
    assert_eq!(read(5, 5, 0, 16, &[0, 2]), None);
    assert_eq!(read(6, 6, 0, 1, &[1, 2, 3]), io(&[0], &[]));
}

#[test]
fn reads_degraded_by_rows() {
    // Left symmetric, member 0 missing. Row 0: D on 0 1 2 3, P on 4. Row 1: D on 4 0 1 2, P on 3.
    // Array pages 1 to 4: row 0 asks 1 2 3, row 1 asks 4. None is on member 0; nothing else is read.
    let md = Md { algorithm: Algorithm::LeftSymmetric, ..last(5, 5) };
    let read = |first, sectors| md.read(first, sectors, &failed(&[0])).map(|io| io.reads);
    let asked = [(1, 0), (2, 0), (3, 0), (4, 1)];
    assert_eq!(read(8, 32), Some(pages(&asked)));
    // Page 5 is on member 0, row 1: all others of row 1.
    let asked = [(1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (3, 1), (4, 1)];
    assert_eq!(read(8, 40), Some(pages(&asked)));
}

/// All requests of a row of pages, in half pages, with all sets of missing members.
fn sweep(level: u32, members: usize, mut check: impl FnMut(&Md, &[usize], u64, u64)) {
    let parities = if level == 6 { 2 } else { 1 };
    let md = Md { algorithm: Algorithm::LeftSymmetric, ..last(level, members) };
    let end = (members - parities) as u64 * PAGE;
    for set in 0..1_u32 << members {
        let missing: Vec<usize> = (0..members).filter(|member| set >> member & 1 == 1).collect();
        if missing.len() > parities {
            continue;
        }
        for first in (0..end).step_by(4) {
            for stop in (first + 4..=end).step_by(4) {
                check(&md, &missing, first, stop - first);
            }
        }
    }
}

#[test]
fn every_write_ends() {
    for (level, least) in [(5, 3), (6, 4)] {
        for members in least..9 {
            sweep(level, members, |md, missing, first, sectors| {
                for rmw_level in [RmwLevel::Disable, RmwLevel::Enable, RmwLevel::Prefer] {
                    let flags = failed(missing);
                    let at = |sync| md.write_at(rmw_level, sync, first, sectors, &flags);
                    let case = (level, members, missing, first, sectors, rmw_level);
                    let Some(io) = at(true) else {
                        panic!("{case:?}");
                    };
                    // REQ_SYNC does not matter.
                    assert_eq!(at(false).as_ref(), Some(&io), "{case:?}");
                    // Written: the pages touched and parity, less the missing.
                    let touched =
                        (first / PAGE..(first + sectors).div_ceil(PAGE)).map(|page| md.place(page * PAGE).0);
                    let (p, q) = md.parity(0);
                    let all: BTreeSet<usize> = touched.chain([p]).chain(q).collect();
                    let there: Vec<usize> =
                        all.iter().copied().filter(|member| !missing.contains(member)).collect();
                    assert_eq!(io.writes, row(&there), "{case:?}");
                    // What is read, or computed from as many pages as there are data, is enough for either way.
                    let read: BTreeSet<usize> = io.reads.iter().map(|(member, _)| *member).collect();
                    let data: Vec<usize> =
                        (0..members).filter(|member| *member != p && Some(*member) != q).collect();
                    let known = |member: &usize| read.len() >= data.len() || read.contains(member);
                    let whole: Vec<usize> = (first.div_ceil(PAGE)..(first + sectors) / PAGE)
                        .map(|page| md.place(page * PAGE).0)
                        .collect();
                    let rcw = data.iter().all(|member| whole.contains(member) || known(member));
                    let rmw = all.iter().all(known);
                    assert!(rcw || rmw, "{case:?}");
                    let mut part =
                        all.iter().filter(|member| data.contains(member) && !whole.contains(member));
                    assert!(part.all(known), "{case:?}");
                    assert!(io.reads.iter().all(|(member, _)| !missing.contains(member)), "{case:?}");
                }
            });
        }
    }
}

#[test]
fn every_read_ends() {
    for (level, least) in [(5, 3), (6, 4)] {
        for members in least..8 {
            sweep(level, members, |md, missing, first, sectors| {
                let case = (level, members, missing, first, sectors);
                let Some(io) = md.read(first, sectors, &failed(missing)) else {
                    panic!("{case:?}");
                };
                if missing.is_empty() {
                    assert_eq!(io.reads.len() as u64, sectors, "{case:?}");
                    return;
                }
                // All that is left where a page asked is missing, else the pages asked.
                let asked: Vec<usize> = (first / PAGE..(first + sectors).div_ceil(PAGE))
                    .map(|page| md.place(page * PAGE).0)
                    .collect();
                let all: Vec<usize> = (0..members).filter(|member| !missing.contains(member)).collect();
                let lost = asked.iter().any(|member| missing.contains(member));
                assert_eq!(io.reads, row(if lost { &all } else { &asked }), "{case:?}");
            });
        }
    }
}

/// Healthy one-row writes by the counts of handle_stripe_dirtying, pages written in part read first.
#[test]
fn healthy_writes_by_counts() {
    for (level, least) in [(5, 3), (6, 4)] {
        for members in least..9 {
            sweep(level, members, |md, missing, first, sectors| {
                if !missing.is_empty() {
                    return;
                }
                let parities = if level == 6 { 2 } else { 1 };
                let end = first + sectors;
                let touched = (end.div_ceil(PAGE) - first / PAGE) as usize;
                let whole = (end / PAGE).saturating_sub(first.div_ceil(PAGE)) as usize;
                let part = touched - whole;
                let rmw = whole + parities;
                let rcw = members - parities - touched;
                let reads = part + if rmw < rcw { rmw } else { rcw };
                let io = md.write(first, sectors, &[]);
                let count = io.map(|io| io.reads.len() / PAGE as usize);
                assert_eq!(count, Some(reads), "{level} {members} {first} {sectors}");
            });
        }
    }
}
