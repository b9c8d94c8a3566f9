import { TabulatorFull } from "tabulator-tables"
import "tabulator-tables/dist/css/tabulator.css"
app.innerHTML = `<div id=t style="width:600px;height:250px"></div>`
const t = new TabulatorFull("#t", { layout: "fitColumns", data: [{ id: 1, name: "Teapot", price: 30 }, { id: 2, name: "Cup", price: 5 }, { id: 3, name: "Kettle", price: 60 }],
  columns: [{ title: "Name", field: "name", editor: "input" }, { title: "Price", field: "price", sorter: "number", headerSortStartingDir: "asc" }] })
window.state = () => ({ editing: document.querySelector(".tabulator-editing input")?.value, names: t.getRows("active").map((r) => r.getData().name) })
