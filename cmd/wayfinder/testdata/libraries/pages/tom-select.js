import TomSelect from "tom-select"
import "tom-select/dist/css/tom-select.css"
app.innerHTML = `<label for=fruit>Fruit</label><select id=fruit><option value="">Choose<option>Apple<option>Banana<option>Cherry</select>`
const fruit = new TomSelect("#fruit", {})
window.state = () => ({ fruit: fruit.getValue() })
