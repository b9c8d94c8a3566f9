package sites

import (
	"fmt"
	"net/http"
)

// newBoard is a page of script alone: a tree whose branches are dragged, notes
// that come late, a question before something is deleted, and a map without
// elements.
func newBoard() *Site {
	s := newSite("Board", "en", boardViews, link{"/tree", "Tree"}, link{"/late", "Late"}, link{"/notes", "Notes"}, link{"/map", "Map"}, link{"/cities", "Cities"})
	for _, view := range []struct{ path, title string }{{"tree", "Tree"}, {"late", "Late"}, {"notes", "Notes"}, {"map", "Map"}, {"cities", "Cities"}} {
		s.on("GET /"+view.path, func(w http.ResponseWriter, _ *http.Request) { s.show(w, view.path, view.title, nil) })
	}
	s.on("POST /note", func(w http.ResponseWriter, r *http.Request) {
		s.note("%s", r.FormValue("text"))
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprint(w, "ok")
	})
	return s
}

const boardViews = `
{{define "script"}}<p role="status" id="told"></p><script>
const tell = text => fetch('/note', {method: 'POST', headers: {'Content-Type': 'application/x-www-form-urlencoded'}, body: 'text=' + encodeURIComponent(text)}).then(() => told.textContent = 'Saved: ' + text);
const later = (ms, f) => setTimeout(f, ms);
</script>{{end}}

{{define "tree"}}{{template "script"}}<ul role="tree" aria-label="Folders" id="tree">{{range $f := folders}}<li role="treeitem" aria-label="{{$f}}" draggable="true" style="padding:12px;border:1px solid #aaa;list-style:none">{{$f}}<ul role="group"></ul></li>{{end}}</ul>
<script>
let held = null;
for (const li of document.querySelectorAll('li[draggable]')) {
	li.addEventListener('dragstart', e => { held = li; e.stopPropagation(); e.dataTransfer.setData('text/plain', li.getAttribute('aria-label')); });
	li.addEventListener('dragover', e => { e.preventDefault(); e.stopPropagation(); });
	li.addEventListener('drop', e => {
		e.preventDefault(); e.stopPropagation();
		if (!held || held === li || held.contains(li)) return;
		li.querySelector('ul').append(held);
		tell(held.getAttribute('aria-label') + ' into ' + li.getAttribute('aria-label'));
	});
}
</script>{{end}}

{{define "late"}}{{template "script"}}<div id="room">Loading …</div>
<script>
later(400, () => {
	room.innerHTML = '<label>Name <input id="name"></label><button id="next">Next</button>';
	next.onclick = () => {
		const who = document.getElementById('name').value;
		room.innerHTML = 'Working …';
		later(700, () => {
			room.innerHTML = '<label>Color <select id="color"><option>red<option>green</select></label><button id="save" disabled>Save</button>';
			later(500, () => save.disabled = false);
			save.onclick = () => tell(who + ' likes ' + color.value);
		});
	};
});
</script>{{end}}

{{define "notes"}}{{template "script"}}<label>New note <input id="text"></label><button id="add">Add note</button><ul id="list"></ul>
<script>
const put = name => {
	const li = document.createElement('li');
	li.append(name + ' ');
	const b = document.createElement('button');
	b.textContent = 'Delete';
	b.setAttribute('aria-label', 'Delete ' + name);
	b.onclick = () => { if (confirm('Delete ' + name + '?')) { li.remove(); tell('deleted ' + name); } };
	li.append(b);
	list.append(li);
};
['Milk', 'Bread', 'Tea'].forEach(put);
add.onclick = () => { put(text.value); tell('added ' + text.value); text.value = ''; };
</script>{{end}}

{{define "map"}}{{template "script"}}<p>Press the red square.</p><button id="zoom">Zoom</button><br><canvas id="c" width="600" height="300" style="border:1px solid black"></canvas>
<script>
let at = null;
zoom.onclick = () => { const g = c.getContext('2d'); g.fillStyle = 'red'; g.fillRect(400, 100, 80, 80); at = true; told.textContent = 'zoomed'; };
c.onclick = e => { if (at && e.offsetX >= 400 && e.offsetX < 480 && e.offsetY >= 100 && e.offsetY < 180) tell('found it'); };
</script>{{end}}

{{define "cities"}}{{template "script"}}<label>City <input id="city" role="combobox" aria-expanded="false" aria-controls="hits" autocomplete="off"></label><ul role="listbox" id="hits" aria-label="Hits" hidden></ul><button id="go">Choose</button>
<script>
const all = ['Bern', 'Basel', 'Bellinzona', 'Chur', 'Genf', 'Zug'];
city.oninput = () => later(300, () => {
	hits.innerHTML = '';
	for (const name of all.filter(n => n.toLowerCase().startsWith(city.value.toLowerCase()))) {
		const li = document.createElement('li');
		li.setAttribute('role', 'option');
		li.textContent = name;
		li.onclick = () => { city.value = name; city.dataset.chosen = name; hits.hidden = true; city.setAttribute('aria-expanded', 'false'); };
		hits.append(li);
	}
	hits.hidden = false;
	city.setAttribute('aria-expanded', 'true');
});
go.onclick = () => tell('city ' + (city.dataset.chosen || 'none'));
</script>{{end}}
`

func boardTasks() []Task {
	return []Task{
		task("board/tree", newBoard, "/late", "In the tree, put Letters into Archive, and Photos into Letters.").script().
			clicks("link: Tree").
			turn(call("drag", "ref", "@treeitem: Letters", "to", "@treeitem: Archive")).
			turn(call("drag", "ref", "@treeitem: Photos", "to", "@treeitem: Letters")).
			did("both are where they belong", says("Saved: Photos into Letters"), step(2)).
			want("Letters into Archive", "Photos into Letters"),
		task("board/late", newBoard, "/tree", "On the page Late, say that Ada likes green.").script().
			clicks("link: Late").
			turn(call("wait", "for", "text", "value", "Name")).
			turn(fill("textbox: Name", "Ada"), click("button: Next")).
			turn(call("wait", "for", "text", "value", "Color")).
			turn(choose("combobox: Color", "green"), click("button: Save")).
			turn(call("wait", "for", "text", "value", "Saved")).
			did("it is saved", says("Saved: Ada likes green")).
			want("Ada likes green"),
		task("board/question", newBoard, "/tree", "Add the note Rice, and delete Bread; answer yes to what is asked.").script().
			clicks("link: Notes").
			turn(fill("textbox: New note", "Rice"), click("button: Add note")).
			turn(call("dialog", "accept", true), click("button: Delete Bread")).
			turn(call("wait", "for", "text", "value", "deleted Bread")).
			did("Rice is there and Bread is not", says("Saved: deleted Bread"), says("Rice")).
			want("added Rice", "deleted Bread"),
		task("board/suggestions", newBoard, "/tree", "Choose the city of Bellinzona.").script().
			clicks("link: Cities").
			turn(call("type", "ref", "@combobox: City", "text", "Be")).
			turn(call("wait", "for", "text", "value", "Bellinzona")).
			clicks("option: Bellinzona", "button: Choose").
			turn(call("wait", "for", "text", "value", "Saved")).
			did("the city is chosen", says("Saved: city Bellinzona")).
			want("city Bellinzona"),
	}
}
