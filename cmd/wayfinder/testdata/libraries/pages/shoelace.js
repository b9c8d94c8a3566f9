import "@shoelace-style/shoelace/dist/shoelace.js"
import "@shoelace-style/shoelace/dist/themes/light.css"
app.innerHTML = `<sl-select label=Size><sl-option value=s>Small</sl-option><sl-option value=l>Large</sl-option></sl-select>
<sl-rating label=Stars></sl-rating><sl-switch>Mail me</sl-switch>
<sl-tree><sl-tree-item>Deciduous<sl-tree-item>Oak</sl-tree-item></sl-tree-item></sl-tree>
<sl-details summary=Delivery>Two days</sl-details><sl-range label=Volume value=50></sl-range>`
const $ = (s) => document.querySelector(s)
window.state = () => ({ size: $("sl-select").value, stars: $("sl-rating").value, mail: $("sl-switch").checked, open: $("sl-tree-item").expanded, delivery: $("sl-details").open, volume: $("sl-range").value })
