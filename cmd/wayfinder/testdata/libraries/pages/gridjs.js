import { Grid } from "gridjs"
import "gridjs/dist/theme/mermaid.css"
new Grid({ columns: [{ name: "Name", sort: true }, { name: "Price", sort: true }], search: true, data: [["Teapot", 30], ["Cup", 5], ["Kettle", 60]] }).render(app)
window.state = () => ({ names: [...document.querySelectorAll("tbody tr td:first-child")].map((e) => e.textContent) })
