import Choices from "choices.js"
import "choices.js/public/assets/styles/choices.css"
app.innerHTML = `<label for=room>Room</label><select id=room><option value="">Choose<option>Single<option>Double<option>Suite</select>
<label for=extras>Extras</label><select id=extras multiple><option>Breakfast<option>Parking<option>Towels</select>`
const room = new Choices("#room", { allowHTML: false, labelId: "room-label" })
const extras = new Choices("#extras", { allowHTML: false, removeItemButton: true })
window.state = () => ({ room: room.getValue(true), extras: extras.getValue(true) })
