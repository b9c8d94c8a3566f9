import "@material/web/select/outlined-select.js"
import "@material/web/select/select-option.js"
import "@material/web/switch/switch.js"
import "@material/web/checkbox/checkbox.js"
import "@material/web/textfield/outlined-text-field.js"
app.innerHTML = `<md-outlined-select label=Size><md-select-option value=s><div slot=headline>Small</div></md-select-option><md-select-option value=l><div slot=headline>Large</div></md-select-option></md-outlined-select>
<label>Mail me <md-switch aria-label="Mail me"></md-switch></label><md-checkbox aria-label="I agree"></md-checkbox><md-outlined-text-field label=Name></md-outlined-text-field>`
const $ = (s) => document.querySelector(s)
window.state = () => ({ size: $("md-outlined-select").value, mail: $("md-switch").selected, agree: $("md-checkbox").checked, name: $("md-outlined-text-field").value })
