//! A picture → the same picture small enough for whoever looks at it: each pixel is the mean of the area that it stands for.

use uixt_driver::Size;
use uixt_pictures::Picture;

/// Scales a PNG down until its longest side has `most` pixels; none where it is small enough, or no picture that can be read.
pub fn down(png: &[u8], most: u32) -> Option<Vec<u8>> {
    let Size { width, height } = Size::of_png(png)?;
    let longest = width.max(height);
    if most == 0 || longest <= most {
        return None;
    }
    let side = |pixels: u32| u32::try_from(u64::from(pixels) * u64::from(most) / u64::from(longest)).ok();
    Picture::decode(png).ok()?.shrunk(side(width)?.max(1), side(height)?.max(1)).encode().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32) -> Vec<u8> {
        let rgba = vec![7; width as usize * height as usize * 4];
        Picture::new(width, height, rgba).and_then(|picture| picture.encode()).expect("a picture")
    }

    #[test]
    fn the_longest_side_is_what_was_asked_and_nothing_grows() {
        for (width, height, most, expected) in
            [(1080, 2400, 1024, (460, 1024)), (2400, 1080, 1024, (1024, 460)), (3, 1000, 10, (1, 10))]
        {
            let small = down(&picture(width, height), most).expect("smaller");
            let size = Size::of_png(&small).expect("a size");
            assert_eq!((size.width, size.height), expected);
        }
        let small = picture(10, 20);
        assert!(down(&small, 20).is_none() && down(&small, 0).is_none());
        assert!(down(b"no picture", 1).is_none() && down(&small[..30], 1).is_none());
    }
}
