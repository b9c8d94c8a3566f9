import Sortable from "sortablejs"
const list = (id, name, items) => `<ul id=${id} aria-label=${name} style="float:left;width:200px">${items.map((t) => `<li style="padding:12px;border:1px solid">${t}</li>`).join("")}</ul>`
app.innerHTML = list("l", "Fruits", ["Apples", "Bananas", "Cherries"]) + list("m", "Basket", ["Dates", "Figs"])
for (const e of [l, m]) Sortable.create(e, { group: "fruits" })
const texts = (e) => [...e.children].map((item) => item.textContent)
window.state = () => ({ fruits: texts(l), basket: texts(m) })
