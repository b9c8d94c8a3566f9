// The search reads an index that comes with the pages: nothing is asked of any server.
const query = document.getElementById("query"), found = document.getElementById("found");
const root = document.querySelector(".name").href.replace(/index\.html$/, "");

// On a narrow screen the list of pages begins folded.
if (matchMedia("(max-width: 60rem)").matches) document.querySelector("nav details").open = false;

let loading;
const load = () => loading ??= new Promise((done, failed) => {
	const script = document.createElement("script");
	script.src = document.getElementById("index").href;
	script.onload = done;
	script.onerror = failed;
	document.head.append(script);
});

// score is 0 for a page without one of the words; words in titles weigh more than in the text,
// and so do words that stand there as they were typed, as an error's text does.
function score(page, words) {
	let sum = 0;
	for (const word of words) {
		const title = page.title.toLowerCase().includes(word) ? 20 : 0;
		const headings = page.headings.some(h => h.title.toLowerCase().includes(word)) ? 6 : 0;
		const text = Math.min(page.lower.split(word).length - 1, 5);
		if (!title && !headings && !text) return 0;
		sum += title + headings + text;
	}
	if (words.length > 1 && page.lower.includes(words.join(" "))) sum += 20 * words.length;
	return /^(decisions|changelog|rough_edges)/.test(page.url) ? sum / 4 : sum;
}

function excerpt(page, words) {
	const phrase = page.lower.indexOf(words.join(" ")), at = phrase < 0 ? page.lower.indexOf(words[0]) : phrase;
	const from = Math.max(0, page.text.lastIndexOf(" ", Math.max(0, at - 50)));
	return (from > 0 ? "… " : "") + page.text.slice(from, from + 150).trim() + " …";
}

function row(page, words) {
	const heading = page.headings.find(h => words.every(word => h.title.toLowerCase().includes(word)));
	const item = document.createElement("li"), link = document.createElement("a"), title = document.createElement("b");
	link.href = root + page.url + (heading ? "#" + heading.id : "");
	title.textContent = page.title + (heading && heading.title !== page.title ? " · " + heading.title : "");
	link.append(title, document.createElement("br"), excerpt(page, words));
	item.append(link);
	return item;
}

async function search() {
	const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
	if (words.length === 0) { found.hidden = true; return; }
	await load();
	const best = pages.map(page => {
		page.lower ??= page.text.toLowerCase();
		return { page, score: score(page, words) };
	}).filter(p => p.score > 0).sort((a, b) => b.score - a.score).slice(0, 10);
	const nothing = document.createElement("li");
	nothing.textContent = "Nothing found. Every word has to be on the page.";
	found.replaceChildren(...best.length ? best.map(p => row(p.page, words)) : [nothing]);
	found.hidden = false;
}

query.addEventListener("input", search);
query.addEventListener("keydown", event => {
	if (event.key === "Enter") found.querySelector("a")?.click();
	if (event.key === "Escape") { query.value = ""; found.hidden = true; }
	if (event.key === "ArrowDown") { found.querySelector("a")?.focus(); event.preventDefault(); }
});
document.addEventListener("keydown", event => {
	if (event.key === "/" && !event.target.closest("input")) { query.focus(); event.preventDefault(); }
});
document.addEventListener("click", event => { if (!event.target.closest(".search")) found.hidden = true; });
