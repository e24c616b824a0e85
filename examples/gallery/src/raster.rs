//! From SVG to pixels, and from pixels to PNG. The letters come with the program, so any machine paints the same.

use anyhow::Context;
use color_quant::NeuQuant;
use resvg::{tiny_skia, usvg};

/// As many colors as a palette holds, and fewer for animations, which are large.
const COLORS: [usize; 2] = [256, 64];
/// How much lighter or darker a pixel becomes at most.
const DITHER: i8 = 3;
/// Of so many pixels one is looked at to choose the colors.
const SAMPLED: i32 = 3;

/// Pixels without transparency.
#[derive(Clone, Debug)]
pub struct Pixels {
    /// How many in a row.
    pub(crate) width: u32,
    /// How many rows.
    pub(crate) height: u32,
    /// Four bytes of each pixel, row by row.
    pub(crate) bytes: Vec<u8>,
}

/// Paints an SVG that hides its background.
///
/// # Errors
/// The text is no SVG, or has no extent.
pub fn paint(svg: &str) -> anyhow::Result<Pixels> {
    let mut options = usvg::Options { font_family: "Ubuntu".into(), ..usvg::Options::default() };
    options.fontdb_mut().load_font_data(epaint_default_fonts::UBUNTU_LIGHT.to_vec());
    let tree = usvg::Tree::from_str(svg, &options)?;
    let size = tree.size().to_int_size();
    let mut painted = tiny_skia::Pixmap::new(size.width(), size.height()).context("the picture has no extent")?;
    resvg::render(&tree, tiny_skia::Transform::identity(), &mut painted.as_mut());
    Ok(Pixels { width: painted.width(), height: painted.height(), bytes: painted.take() })
}

/// One picture, or several of one size, as a PNG of few colors. Several are an animation, each shown for so long; what
/// cannot play it shows the first.
///
/// # Errors
/// There are none, or they differ in size.
pub fn png(frames: &[Pixels], milliseconds: u16) -> anyhow::Result<Vec<u8>> {
    let first = frames.first().context("an animation without frames")?;
    let same = frames.iter().all(|frame| [frame.width, frame.height] == [first.width, first.height]);
    anyhow::ensure!(same, "frames of different sizes");
    let all: Vec<u8> = frames.iter().flat_map(|frame| frame.bytes.iter().copied()).collect();
    let is_animated = frames.len() > 1;
    let colors = NeuQuant::new(SAMPLED, COLORS[usize::from(is_animated)], &all);

    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, first.width, first.height);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_compression(png::Compression::High);
    encoder.set_filter(png::Filter::NoFilter);
    encoder.set_palette(colors.color_map_rgb());
    if is_animated {
        encoder.set_animated(u32::try_from(frames.len())?, 0)?;
        encoder.set_frame_delay(milliseconds, 1000)?;
    }
    let mut writer = encoder.write_header()?;
    for frame in frames {
        let dither = if is_animated { 0 } else { DITHER };
        let pixels = (0..).zip(frame.bytes.as_chunks().0).map(|(number, &pixel)| {
            let pixel = lighten(pixel, [number % frame.width, number / frame.width], dither);
            u8::try_from(colors.index_of(&pixel)).unwrap_or(0)
        });
        writer.write_image_data(&pixels.collect::<Vec<u8>>())?;
    }
    writer.finish()?;
    Ok(file)
}

/// Makes a pixel lighter or darker by its place, so that a slow change of color has no edges when it becomes few colors.
fn lighten([red, green, blue, opacity]: [u8; 4], [x, y]: [u32; 2], by: i8) -> [u8; 4] {
    /// An ordered dither: thresholds that are far from those of their neighbors.
    const THRESHOLDS: [[i8; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];
    let threshold = THRESHOLDS[y as usize % 4][x as usize % 4];
    let offset = (2 * threshold - 15) * by / 15;
    let [red, green, blue] = [red, green, blue].map(|part| part.saturating_add_signed(offset));
    [red, green, blue, opacity]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SVG: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20">
        <rect width="30" height="20" fill="#123"/><text y="15" fill="#fff">A</text></svg>"##;

    #[test]
    fn a_png_has_the_pixels_of_its_svg() {
        let file = png(&[paint(SVG).unwrap()], 0).unwrap();
        let pixels = tiny_skia::Pixmap::decode_png(&file).unwrap();
        assert_eq!((pixels.width(), pixels.height()), (30, 20));
        assert!(pixels.data().contains(&0xff), "the letters came with the program");
    }

    #[test]
    fn all_frames_are_there() {
        let file = png(&vec![paint(SVG).unwrap(); 3], 40).unwrap();
        let reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        assert_eq!(reader.info().animation_control().unwrap().num_frames, 3);
    }
}
