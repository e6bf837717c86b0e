"use strict";
// The filmstrip of a case: its pictures over time, and its video where one was kept. Made when a case is opened, and once.
(() => {
  const MOST = 150;
  const make = (tag, name, more = {}) => Object.assign(document.createElement(tag), { className: name, ...more });
  const seconds = (ms) => `${(Math.max(ms, 0) / 1000).toFixed(1)} s`;

  // A picture of a step, and when the screen looked so: as parts of the case's time, or exactly where a video tells.
  function ofSteps(item, film) {
    const times = new Map((film?.steps ?? []).map(([step, begin, ms]) => [step, [begin, begin + ms]]));
    const moments = [];
    for (const row of item.querySelectorAll(".steps > li")) {
      const bar = row.querySelector(":scope > i");
      const at = (name) => parseFloat(bar?.style.getPropertyValue(name)) || 0;
      const [begin, end] = times.get(row.value) ?? [at("--a"), at("--a") + at("--w")];
      const shots = [...row.querySelectorAll(".shot:not(.was) img")];
      shots.forEach((image, index) => {
        const mark = image.parentElement.querySelector(".mark:not(.seen)");
        moments.push({ ms: mark ? begin : end, src: image.getAttribute("src"), step: row.value, row, mark, index });
      });
      if (!shots.length && film) moments.push({ ms: begin, step: row.value, row });
    }
    return moments;
  }

  function ofFrames(film) {
    return (film?.frames ?? []).map(([name, ms]) => ({ ms, src: `${film.folder}/${name}`, isFrame: true }));
  }

  // As many as a strip can hold, spread over all of them.
  function spread(moments) {
    if (moments.length <= MOST) return moments;
    return Array.from({ length: MOST }, (_, at) => moments[Math.floor((at * (moments.length - 1)) / (MOST - 1))]);
  }

  function stepAt(film, moments, ms) {
    const begun = moments.filter((moment) => moment.row && moment.ms <= ms);
    const known = film?.steps?.filter(([, begin]) => begin <= ms).at(-1)?.[0];
    return known ? moments.find((moment) => moment.step === known && moment.row) : begun.at(-1);
  }

  function build(item) {
    const film = item.dataset.film ? JSON.parse(item.dataset.film) : undefined;
    const steps = ofSteps(item, film);
    const all = [...steps, ...ofFrames(film)].sort((a, b) => a.ms - b.ms);
    const parts = film?.parts ?? [];
    if (all.filter((moment) => moment.src).length < 2 && !parts.length) return;
    const root = make("section", "film", { tabIndex: 0, ariaLabel: "Filmstrip: arrow keys go through it" });
    const stage = make("div", "stage");
    const image = make("img", "", { alt: "", loading: "lazy", decoding: "async", hidden: true });
    const video = parts.length ? make("video", "", { muted: true, playsInline: true, preload: "none" }) : undefined;
    const said = make("output", "");
    const play = make("button", "", { type: "button", textContent: "▶ Play", hidden: !(video || film?.frames?.length) });
    const range = make("input", "", { type: "range", min: 0, max: all.length - 1, value: 0, ariaLabel: "Moment" });
    const row = make("div", "thumbs");
    const thumbs = new Map();
    let here = 0;
    let timer;

    function showVideo(ms) {
      const part = parts.filter(([, begin]) => begin <= ms + 1).at(-1) ?? parts[0];
      const address = `${film.folder}/${part[0]}`;
      const at = Math.min(Math.max(ms - part[1], 0), part[2]) / 1000;
      const seek = () => { video.currentTime = at; };
      if (video.getAttribute("src") === address && video.readyState > 0) return seek();
      video.preload = "auto";
      video.onloadedmetadata = seek;
      if (video.getAttribute("src") !== address) video.setAttribute("src", address);
    }

    function show(at, { follow = true } = {}) {
      here = Math.min(Math.max(at, 0), all.length - 1);
      const moment = all[here];
      const pictured = moment.src ? moment : all.slice(0, here).reverse().find((before) => before.src);
      image.hidden = Boolean(video) || !pictured;
      if (!image.hidden) image.setAttribute("src", pictured.src);
      if (video && follow) showVideo(moment.ms);
      const step = moment.row ? moment : stepAt(film, steps, moment.ms);
      said.textContent = [film ? seconds(moment.ms) : "", step ? `step ${step.step}` : "", `${here + 1} of ${all.length}`]
        .filter(Boolean).join(" · ");
      range.value = here;
      root.querySelector(".on")?.classList.remove("on");
      const nearest = [...thumbs.keys()].filter((index) => index <= here).at(-1) ?? thumbs.keys().next().value;
      const thumb = thumbs.get(nearest);
      thumb?.classList.add("on");
      if (thumb) row.scrollLeft = thumb.offsetLeft - row.clientWidth / 2 + thumb.clientWidth / 2;
      return step;
    }

    // Its row is shown, as a link to it does.
    function point(step) {
      document.querySelector(".here")?.classList.remove("here");
      if (!step) return;
      step.row.classList.add("here");
      step.row.scrollIntoView({ block: "nearest" });
    }

    function stop() {
      clearTimeout(timer);
      timer = undefined;
      video?.pause();
      play.textContent = "▶ Play";
    }

    function advance() {
      if (here >= all.length - 1) return stop();
      const pause = all[here + 1].ms - all[here].ms;
      timer = setTimeout(() => {
        show(here + 1);
        advance();
      }, Math.min(Math.max(pause, 20), 2000));
    }

    play.addEventListener("click", () => {
      if (timer !== undefined || (video && !video.paused)) return stop();
      play.textContent = "⏸ Pause";
      if (video) video.play().catch(stop);
      else {
        if (here >= all.length - 1) show(0);
        advance();
      }
    });
    video?.addEventListener("timeupdate", () => {
      if (video.paused) return;
      const part = parts.find(([name]) => video.getAttribute("src").endsWith(`/${name}`));
      const now = (part?.[1] ?? 0) + video.currentTime * 1000;
      const at = all.findLastIndex((moment) => moment.ms <= now);
      if (at >= 0 && at !== here) show(at, { follow: false });
    });
    video?.addEventListener("ended", () => {
      const next = parts[parts.findIndex(([name]) => video.getAttribute("src").endsWith(`/${name}`)) + 1];
      if (!next) return stop();
      showVideo(next[1]);
      video.play().catch(stop);
    });
    range.addEventListener("input", () => { stop(); show(Number(range.value)); });
    root.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, Home: -all.length, End: all.length }[event.key];
      if (!by || event.ctrlKey || event.metaKey || event.altKey || event.target === range) return;
      event.preventDefault();
      stop();
      point(show(here + by));
    });

    for (const moment of spread(all.filter((moment) => moment.src || video))) {
      const index = all.indexOf(moment);
      const thumb = make("button", "", { type: "button", tabIndex: -1 });
      thumb.title = moment.step ? `step ${moment.step}` : seconds(moment.ms);
      if (moment.src) thumb.append(make("img", "", { alt: thumb.title, loading: "lazy", decoding: "async", src: moment.src }));
      else thumb.textContent = moment.step;
      if (moment.row && !moment.row.matches(".p")) thumb.classList.add("bad");
      thumb.addEventListener("click", () => { stop(); point(show(index)); });
      thumbs.set(index, thumb);
      row.append(thumb);
    }
    // Each is as wide as the first picture is, so that the row has its length before they are there.
    const shape = item.querySelector(".steps .shot")?.style.getPropertyValue("--r");
    if (shape) root.style.setProperty("--r", shape);
    else row.querySelector("img")?.addEventListener("load", ({ target }) => {
      root.style.setProperty("--r", `${target.naturalWidth}/${target.naturalHeight}`);
    });
    const controls = make("div", "controls");
    controls.append(play, range, said);
    stage.append(image, ...(video ? [video] : []));
    root.append(row, controls, stage);
    if (film?.cut) root.append(make("p", "soft", { textContent: film.cut }));
    // Next to a strip of steps' own pictures, which stand below anyway, nothing else is needed.
    stage.hidden = !film;
    item.querySelector(":scope > summary").after(root);
    item.filmTo = (step) => {
      const at = all.findIndex((moment) => moment.step === step);
      if (at >= 0) { stop(); show(at); }
    };
    const bad = all.findLastIndex((moment) => moment.row && moment.row.matches(".f, .e") && moment.src);
    show(bad >= 0 ? bad : 0);
  }

  function once(item) {
    if (!item.open || item.dataset.filmed) return;
    item.dataset.filmed = "yes";
    build(item);
  }

  const main = document.querySelector("main");
  main.addEventListener("toggle", (event) => event.target.matches?.(".case") && once(event.target), true);
  main.addEventListener("click", (event) => {
    const row = event.target.closest(".steps > li");
    if (row && !event.target.closest("a, label, input, details:not(.case)")) row.closest(".case").filmTo?.(row.value);
  });
  // What is open from the beginning is made when it comes into sight.
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((entry) => entry.isIntersecting)) {
      seen.unobserve(entry.target);
      once(entry.target);
    }
  });
  for (const item of document.querySelectorAll("main .case[open]")) seen.observe(item);
})();
