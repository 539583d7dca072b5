// Files made from the data of a page.
function download(name, text, type) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function csv(header, rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `${[header, ...rows].map((row) => row.map(cell).join(",")).join("\n")}\n`;
}

// Each entry: what it holds, its name, the function that makes it, and its type.
function fileList(files) {
  return element("ul", { class: "files" }, files.map(([words, name, make, type]) =>
    element("li", {}, element("button", { type: "button", onclick: () => download(name, make(), type) }, name), ` ${words}`)));
}
