//! Outlines of boxes as bytes, for tests: each region one part of one ring of one arc.

/// The outlines of the boxes of a table of regions.
pub(crate) fn outlines(regions: &str) -> Vec<u8> {
    let boxes: Vec<_> = regions.lines().skip(1).filter_map(corners).collect();
    let mut bytes: Vec<u8> = [STEP, STEP, 0.0, 0.0].iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut last = [0, 0];
    whole(boxes.len(), &mut bytes);
    for [west, south, east, north] in &boxes {
        whole(5, &mut bytes);
        for corner in [[west, south], [east, south], [east, north], [west, north], [west, south]] {
            for (axis, &&at) in corner.iter().enumerate() {
                signed(at - last[axis], &mut bytes);
                last[axis] = at;
            }
        }
    }
    whole(boxes.len(), &mut bytes);
    for (arc, _) in (0..).zip(&boxes) {
        bytes.extend([1, 1, 1]);
        signed(2 * arc, &mut bytes);
    }
    bytes
}

const STEP: f64 = 1e-4;

fn corners(row: &str) -> Option<[i64; 4]> {
    let mut numbers =
        row.split(',').skip(2).map(|number| number.parse::<f64>().map(|degrees| (degrees / STEP).round() as i64));
    let mut next = || numbers.next()?.ok();
    Some([next()?, next()?, next()?, next()?])
}

fn whole(mut number: usize, bytes: &mut Vec<u8>) {
    while 0x7f < number {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn signed(number: i64, bytes: &mut Vec<u8>) {
    let number = if number < 0 { !number << 1 | 1 } else { number << 1 };
    whole(usize::try_from(number).expect("the sign is gone"), bytes);
}
