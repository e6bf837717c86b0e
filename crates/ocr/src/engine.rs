//! The two models, loaded.

use std::path::Path;

use rten::{Model, ModelOptions, OpRegistry, op_registry};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use super::Error;
use super::crops::{self, HEIGHT};
use super::detection;
use super::models;
use super::recognition::{Read, better, decode};
use super::resize::{Planes, Turn, resize};
use uixt_pictures::{Picture, Place};

/// The shorter side of the picture that lines are looked for in, in pixels: less loses small type, more costs time and finds no more. A
/// picture that is wider than high is rather a window on a desk, whose type is smaller beside the window than a phone's.
const SHORTER: u32 = 576;
const SHORTER_OF_WIDE: u32 = 736;
/// Pixels that the first model gets at most: its memory grows with them.
const MOST: usize = 4 << 20;
/// The sides of what the first model gets are multiples of this.
const GRID: u32 = 32;
/// The most lines that are read at once: those of like length, of which the shorter are filled up.
const BATCH: usize = 8;
/// Below this confidence, a line is read a second time.
const SURE: f32 = 0.9;

/// What the first model's numbers are: mean and deviation of blue, green and red, each from 0 to 1.
const MEANS: [f32; 3] = [0.485, 0.456, 0.406];
const DEVIATIONS: [f32; 3] = [0.229, 0.224, 0.225];

/// The models that find and read lines. Made once; each use takes all cores.
pub struct Engine {
    detector: Model,
    recognizer: Model,
    characters: Vec<String>,
}

impl Engine {
    /// Loads the models of a folder, as [`models::FILES`] names them. Where one is missing, the error says what to do.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        if let Some(file) = models::missing(folder) {
            return Err(Error::NoModels(models::absent(folder, file)));
        }
        let model = |file: &models::File| {
            let bytes = models::read(folder, file)?;
            let broken = |error| Error::BrokenModel(format!("{}: {error}", folder.join(file.name).display()));
            ModelOptions::with_ops(operators()).prepack_weights(true).load(bytes).map_err(broken)
        };
        let characters = models::read(folder, &models::CHARACTERS)?;
        let characters = String::from_utf8_lossy(&characters).lines().map(str::to_owned).collect();
        Ok(Self { detector: model(&models::DETECTION)?, recognizer: model(&models::RECOGNITION)?, characters })
    }

    /// Finds where lines of text stand in a part of a picture.
    pub(crate) fn places(&self, picture: &Picture, part: Place) -> Result<Vec<Place>, Error> {
        let (shorter, wanted) = match picture.width() > picture.height() {
            true => (picture.height(), SHORTER_OF_WIDE),
            false => (picture.width(), SHORTER),
        };
        let scale = (f64::from(wanted) / f64::from(shorter)).min(1.0);
        let side = |pixels: u32| (((f64::from(pixels) * scale) as u32).div_ceil(GRID).max(1) * GRID) as usize;
        let (width, height) = (side(part.width()), side(part.height()));
        if width * height > MOST {
            return Err(Error::TooLong(picture.width(), picture.height()));
        }
        let Planes { mut data, .. } = resize(picture, part, width, height, Turn::None);
        for (plane, (mean, deviation)) in data.chunks_exact_mut(width * height).zip(MEANS.into_iter().zip(DEVIATIONS)) {
            plane.iter_mut().for_each(|value| *value = (*value / 255.0 - mean) / deviation);
        }
        let map = run(&self.detector, NdTensor::from_data([1, 3, height, width], data))?;
        let [_, _, rows, columns] = map.shape().try_into().map_err(|_| unexpected(map.shape()))?;
        Ok(detection::places(&map.to_vec(), columns, rows, part))
    }

    /// Reads the lines at places of a picture.
    pub(crate) fn read(&self, picture: &Picture, places: &[Place]) -> Result<Vec<Read>, Error> {
        let mut crops: Vec<(usize, Planes)> = places
            .iter()
            .enumerate()
            .map(|(at, place)| (at, crops::first(picture, *place, crops::turn_of(*place))))
            .collect();
        crops.sort_by_key(|(_, crop)| crop.width);
        let mut lines: Vec<Option<Read>> = vec![None; places.len()];
        for batch in crops.chunks(BATCH) {
            let planes: Vec<&Planes> = batch.iter().map(|(_, crop)| crop).collect();
            for ((at, _), read) in batch.iter().zip(self.texts(&planes)?) {
                lines[*at] = Some(read);
            }
        }
        lines.into_iter().flatten().zip(places).map(|(first, place)| self.sure(picture, *place, first)).collect()
    }

    /// Reads a line again where the first reading may be wrong.
    fn sure(&self, picture: &Picture, place: Place, first: Read) -> Result<Read, Error> {
        let mut turn = crops::turn_of(place);
        let mut read = first;
        // A label that stands on its side may be read from below.
        if turn != Turn::None {
            let from_below = self.text(&crops::first(picture, place, Turn::Right))?;
            if from_below.confidence > read.confidence {
                (turn, read) = (Turn::Right, from_below);
            }
        }
        if !read.text.is_empty() && read.confidence < SURE {
            read = better(read, self.text(&crops::second(picture, place, turn))?);
        }
        // Of a line on its side, all is the text's place.
        Ok(match turn {
            Turn::None => read,
            Turn::Left | Turn::Right => Read { from: 0.0, to: 1.0, ..read },
        })
    }

    /// Reads the text of one line.
    fn text(&self, crop: &Planes) -> Result<Read, Error> {
        self.texts(&[crop])?.pop().ok_or_else(|| unexpected(&[0]))
    }

    /// Reads the texts of several lines at once.
    fn texts(&self, crops: &[&Planes]) -> Result<Vec<Read>, Error> {
        let width = crops.iter().map(|crop| crop.width).max().unwrap_or(1);
        let mut data = vec![0.0; crops.len() * 3 * HEIGHT * width];
        let rows = data.chunks_exact_mut(width);
        let lines = crops.iter().flat_map(|crop| crop.data.chunks_exact(crop.width));
        for (to, from) in rows.zip(lines) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = from / 127.5 - 1.0);
        }
        let read = run(&self.recognizer, NdTensor::from_data([crops.len(), 3, HEIGHT, width], data))?;
        let [count, steps, characters] = read.shape().try_into().map_err(|_| unexpected(read.shape()))?;
        if count != crops.len() || characters != self.characters.len() + 2 {
            return Err(unexpected(read.shape()));
        }
        // A shorter line was filled up to the width of the longest.
        let share = |crop: &Planes| width as f32 / crop.width as f32;
        let whole = |(line, crop): (&[f32], &&Planes)| {
            let read = decode(line, &self.characters);
            let along = |at: f32| (at * share(crop)).min(1.0);
            Read { from: along(read.from), to: along(read.to), ..read }
        };
        Ok(read.to_vec().chunks_exact(steps * characters).zip(crops).map(whole).collect())
    }
}

/// Returns the operators that the two models are made of: the program holds no others.
fn operators() -> OpRegistry {
    op_registry!(
        Add,
        AveragePool,
        BatchNormalization,
        Concat,
        Conv,
        ConvTranspose,
        Div,
        Erf,
        GlobalAveragePool,
        HardSigmoid,
        Identity,
        MatMul,
        MaxPool,
        Mul,
        ReduceMean,
        Relu,
        Resize,
        Sigmoid,
        Softmax,
        Squeeze,
        Transpose,
        Unsqueeze
    )
}

fn run<const N: usize>(model: &Model, input: NdTensor<f32, N>) -> Result<rten_tensor::Tensor<f32>, Error> {
    let failed = |error: &dyn std::fmt::Display| Error::Failed(error.to_string());
    let output = model.run_one(input.into(), None).map_err(|error| failed(&error))?;
    output.try_into().map_err(|error| failed(&error))
}

fn unexpected(shape: &[usize]) -> Error {
    Error::Failed(format!("a model answered in another shape than it should: {shape:?}"))
}
