// Ends a panel that scrolls between two rows, not within one.

const MOST = 160; // CSS pixels that may stay empty; a higher row is cut

/**
 * Keeps `scroller`, the content of a panel of limited height, as high as whole rows fit, and shows the button `more`
 * while there is something below. A panel as high as its content is left alone.
 * @param {string} rows Selects what is not to be cut.
 */
export function fitRows(panel, scroller, more, rows) {
  const fit = () => {
    scroller.style.maxHeight = "";
    more.hidden = true;
    if (getComputedStyle(scroller).overflowY !== "visible" && scroller.scrollHeight > scroller.clientHeight + 1) {
      more.hidden = false;
      scroller.style.maxHeight = `${wholeRows(scroller, scroller.clientHeight, rows)}px`;
    }
    showMore();
  };
  const showMore = () =>
    more.classList.toggle("at-end", scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1);
  const soon = debounced(fit);
  const observer = new ResizeObserver(soon);
  observer.observe(panel);
  for (const child of scroller.children) observer.observe(child);
  scroller.addEventListener("scroll", showMore, { passive: true });
  more.addEventListener("click", () => scroller.scrollBy({ top: scroller.clientHeight - 40 }));
}

/** The height up to which rows are whole, seen from the top. */
function wholeRows(scroller, height, rows) {
  const top = scroller.getBoundingClientRect().top - scroller.scrollTop;
  const all = [...scroller.querySelectorAll(rows)]
    .map((row) => row.getBoundingClientRect())
    .filter((row) => row.height > 0);
  let end = height;
  for (let index = all.length - 1; index >= 0; index--) {
    const cut = all.find(
      (row) => row.top - top < end - 0.5 && row.bottom - top > end + 0.5 && row.top - top > height - MOST,
    );
    if (!cut) break;
    end = cut.top - top;
  }
  return Math.floor(end);
}

/** Calls a function once for all that happens within a frame. */
function debounced(call) {
  let request = 0;
  return () => {
    request ||= requestAnimationFrame(() => {
      request = 0;
      call();
    });
  };
}
