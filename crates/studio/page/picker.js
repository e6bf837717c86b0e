// What a browser opens beside its page and no picture shows: the list of a field, the chooser for files. The page asks instead.

import { ask } from "./ask.js";
import { menu } from "./menu.js";
import { studio } from "./studio.js";
import { word } from "./words.js";

/** Asks where a device's page opens a list or a chooser. */
export function picks(device) {
  const place = ({ rect, at }) => {
    const { clientX, clientY } = device.shownAt(rect ? [rect[0], rect[3]] : at);
    return [clientX, clientY];
  };
  studio.on("choose", (said) => {
    const rows = said.options.map((label) => ({ label, act: () => studio.act({ option: label, at: said.at }) }));
    menu(said.name || word("choose_option"), rows, place(said), device.keys);
  });
  studio.on("choose_files", (said) => {
    const hand = (path) => studio.act({ files: [path], at: said.at });
    const other = async () => {
      const path = await ask(word("choose_files", said.name), "", "accept");
      if (path) {
        hand(path);
      }
    };
    const rows = said.files.map((label) => ({ label, act: () => hand(label) }));
    menu(word("choose_files", said.name), [...rows, { label: `${word("other_file")}…`, act: other }], place(said), device.keys);
  });
}
