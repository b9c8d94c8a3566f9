import Sortable from "sortablejs"
app.innerHTML = `<ul id=l aria-label=Fruits>${["Apples", "Bananas", "Cherries"].map((t) => `<li style="padding:12px;border:1px solid">${t}</li>`).join("")}</ul>`
Sortable.create(l)
window.state = () => ({ fruits: [...l.children].map((e) => e.textContent) })
