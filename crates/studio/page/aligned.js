// Two texts → where the lines of the one stand in the other.

/** More lines than so many that differ at once are not compared one by one. */
const MOST = 600;

/** Returns, for each line of `old`, its index in `now`; -1 where it is not there, or another one. */
export function aligned(old, now) {
  const places = new Int32Array(old.length).fill(-1);
  let begin = 0;
  while (begin < old.length && begin < now.length && old[begin] === now[begin]) {
    places[begin] = begin;
    begin += 1;
  }
  let [end, last] = [old.length, now.length];
  while (end > begin && last > begin && old[end - 1] === now[last - 1]) {
    end -= 1;
    last -= 1;
    places[end] = last;
  }
  if (end - begin <= MOST && last - begin <= MOST) {
    common(old.slice(begin, end), now.slice(begin, last)).forEach(([from, to]) => (places[begin + from] = begin + to));
  }
  return places;
}

/** Returns the pairs of the longest list of lines that both have in the same order. */
function common(old, now) {
  const width = now.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  for (let at = old.length - 1; at >= 0; at -= 1) {
    for (let to = now.length - 1; to >= 0; to -= 1) {
      const place = at * width + to;
      lengths[place] = old[at] === now[to] ? lengths[place + width + 1] + 1 : Math.max(lengths[place + width], lengths[place + 1]);
    }
  }
  const pairs = [];
  let [at, to] = [0, 0];
  while (at < old.length && to < now.length) {
    if (old[at] === now[to]) {
      pairs.push([at, to]);
      at += 1;
      to += 1;
    } else if (lengths[(at + 1) * width + to] >= lengths[at * width + to + 1]) {
      at += 1;
    } else {
      to += 1;
    }
  }
  return pairs;
}
