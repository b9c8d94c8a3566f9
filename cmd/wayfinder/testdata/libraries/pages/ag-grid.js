import { createGrid, ModuleRegistry, AllCommunityModule } from "ag-grid-community"
ModuleRegistry.registerModules([AllCommunityModule])
app.innerHTML = `<div id=g style="width:600px;height:300px"></div>`
const api = createGrid(g, { rowData: [{ name: "Teapot", price: 30 }, { name: "Cup", price: 5 }, { name: "Kettle", price: 60 }], columnDefs: [{ field: "name", editable: true }, { field: "price" }], rowSelection: { mode: "multiRow" } })
window.state = () => { const names = [], chosen = []; api.forEachNodeAfterFilterAndSort((n) => { names.push(n.data.name); if (n.isSelected()) chosen.push(n.data.name) }); return { names, chosen, editing: document.querySelector(".ag-cell-inline-editing input")?.value } }
