//! Steps in words, with a stand-in for the model.

mod goal_replay;
mod injection;
mod research;
mod steps_in_words;
