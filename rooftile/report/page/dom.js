// Making elements. Text is only ever set as text, never parsed as HTML.

const byId = (id) => document.getElementById(id);

// element('td', {class: 'text', title: name}, name): attributes, then children (elements or text).
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'style') Object.assign(made.style, value);
    else if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function svgElement(tag, attributes = {}) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'style') Object.assign(made.style, value);
    else made.setAttribute(name, value);
  }
  return made;
}

// A list of terms and values, for a <dl>.
function pairElements(pairs) {
  return pairs.flatMap(([term, value]) => [element('dt', {}, term), element('dd', {}, value)]);
}

// A call of `work` before the next frame, however often it is asked for.
function oncePerFrame(work) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}
