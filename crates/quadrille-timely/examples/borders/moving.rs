//! A million points that move: spread evenly, or nine tenths of them in 50 clusters.

/// The side of the world.
pub(crate) const SIDE: f32 = 1000.0;
pub(crate) const OBJECTS: u64 = 1_000_000;
const CLUSTERS: u64 = 50;

pub(crate) const UNIFORM: Moving = Moving { name: "uniform", cluster: None, step: 0.5, reach: 0.3 };
/// All is as small as its clusters are dense.
pub(crate) const CROWDED: Moving = Moving { name: "crowded", cluster: Some(30.0), step: 0.05, reach: 0.03 };

/// A world of points.
#[derive(Debug)]
pub(crate) struct Moving {
    pub(crate) name: &'static str,
    /// How wide a cluster is, where there are any.
    pub(crate) cluster: Option<f32>,
    /// The longest step on each axis.
    pub(crate) step: f32,
    pub(crate) reach: f32,
}

impl Moving {
    /// Where a point is at first.
    pub(crate) fn start(&self, id: u64) -> [f32; 2] {
        let [place, cluster, more] = [0, 1, 2].map(|salt| mix(id << 2 | salt));
        match self.cluster {
            Some(width) if !id.is_multiple_of(10) => {
                let center = anywhere(mix(cluster % CLUSTERS));
                let [a, b] = [halves(place), halves(more)];
                // Sums of two are densest in the middle.
                [0, 1].map(|axis| (center[axis] + (a[axis] + b[axis] - 1.0) * width / 2.0).clamp(0.0, SIDE))
            }
            _ => anywhere(place),
        }
    }

    /// Where a point is after a tick.
    #[inline]
    pub(crate) fn step(&self, tick: u64, id: u64, at: [f32; 2]) -> [f32; 2] {
        let by = halves(mix(id << 2 | 3 | tick << 32));
        [0, 1].map(|axis| {
            let to = at[axis] + (by[axis] * 2.0 - 1.0) * self.step;
            if (0.0..=SIDE).contains(&to) { to } else { at[axis] }
        })
    }
}

/// A place anywhere in the world.
pub(crate) fn anywhere(bits: u64) -> [f32; 2] {
    halves(bits).map(|c| c * SIDE)
}

/// Two numbers from 0 to 1.
fn halves(bits: u64) -> [f32; 2] {
    [bits, bits >> 32].map(|bits| (bits & 0xFF_FFFF) as f32 / (1 << 24) as f32)
}

/// Bits that look random (splitmix64).
pub(crate) fn mix(number: u64) -> u64 {
    let x = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}
